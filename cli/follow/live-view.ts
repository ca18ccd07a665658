/** The view of a run that is followed: lines that stay, and on a terminal a live line for each cluster below them. */
import type { ClusterDescription, ManifestDescription } from '#contracts/api-bodies.ts';
import { counted } from '#domain/words.ts';
import { clip } from '../print/layout.ts';
import { paint, paintStatus } from '../print/output.ts';
import { duration } from '../print/times.ts';

export interface View {
  /** Adds `lines` and shows the present status of `manifest` (undefined: it is deleted or not known). */
  show(lines: readonly string[], manifest: ManifestDescription | undefined): void;
  /** Removes the live lines. */
  close(): void;
}

export const silentView: View = { show: () => {}, close: () => {} };

export function openLiveView(screen: Screen = process.stdout): View {
  const drawing = openDrawing(screen);
  return {
    show(lines, manifest) {
      drawing.show(lines, screen.isTTY && manifest ? liveLines(manifest, screen) : []);
    },
    close: drawing.close,
  };
}

/** Never wider or higher than the screen: otherwise they could not be removed again. */
function liveLines(manifest: ManifestDescription, { columns = 80, rows = 24 }: Screen): string[] {
  const active = manifest.clusters.filter(({ status }) => status !== 'Converged');
  const shown = active.length > 0 ? active : manifest.clusters;
  if (shown.length === 0) return [clip(`  ${paintStatus(manifest.status)}`, columns - 1)];
  const room = Math.max(1, rows - 4);
  const names = Math.max(...shown.map((cluster) => (cluster.name ?? cluster.cluster).length));
  const lines = shown.slice(0, room).map((cluster) => progressLine(cluster, names));
  if (shown.length > room) lines.push(paint('dim', `  and ${counted(shown.length - room, 'more cluster')}`));
  return lines.map((line) => clip(line, columns - 1));
}

function progressLine(cluster: ClusterDescription, nameWidth: number): string {
  const name = (cluster.name ?? cluster.cluster).padEnd(nameWidth);
  const progress = cluster.progress;
  if (!progress || cluster.status !== 'Running') return `  ${name}  ${paintStatus(cluster.status)}`;
  const width = 20;
  const full = Math.round((progress.percent / 100) * width);
  const bar = paint('green', '█'.repeat(full)) + paint('dim', '░'.repeat(width - full));
  const step = `step ${Math.min(progress.step + 1, progress.steps)} of ${progress.steps}`;
  const work = [progress.direction, progress.stage].filter(Boolean).join(' · ');
  const elapsed = duration(Math.max(0, Date.now() - Date.parse(progress.startedAt)));
  return `  ${name}  ${bar} ${String(progress.percent).padStart(3)} %  ${step}  ${work}  ${paint('dim', elapsed)}`;
}

/** The output: standard output, or a terminal of a test. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export interface Drawing {
  /** Adds `kept`, and draws `live` in place of what was drawn before. `live` must be lower than the screen, and no line of it wider. */
  show(kept: readonly string[], live: readonly string[]): void;
  /** Removes the drawn lines. */
  close(): void;
}

export function openDrawing(screen: Screen): Drawing {
  let drawn = 0;
  const erased = (): string => {
    const text = drawn > 0 ? `\u001b[${drawn}A\u001b[0J` : '';
    drawn = 0;
    return text;
  };
  return {
    show(kept, live) {
      const text = erased() + [...kept, ...live].map((line) => `${line}\n`).join('');
      if (text) screen.write(text);
      drawn = live.length;
    },
    close() {
      const text = erased();
      if (text) screen.write(text);
    },
  };
}
