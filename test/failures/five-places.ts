/** A failure as the five places show it: describe, events, `--wait`, the console and the status of the operator. Wrapped lines are joined again. */
import { stripVTControlCharacters } from 'node:util';
import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { waitForRun } from '#cli/follow/wait.ts';
import { describeManifest } from '#cli/print/describe-manifest.ts';
import { eventLines } from '#cli/print/event-lines.ts';
import type { ManifestDescription, ShownEvent } from '#contracts/api-bodies.ts';
import { manifestStatus } from '#operator/cluster-status.ts';
import { manifestReadiness } from '#operator/conditions.ts';
import { watchedApi } from '../cli/watched-api.ts';

/** TypeScript of the tests has no JSX. */
const { ThreeLines } = (await import(new URL('../../console/parts/three-lines.tsx', import.meta.url).href)) as {
  readonly ThreeLines: (props: { of: object; kind: string; ago: string }) => ReactNode;
};

export interface Shown {
  readonly manifest: ManifestDescription;
  readonly events: readonly ShownEvent[];
}

/** Text of each place, by its name. */
export async function fivePlaces({ manifest, events }: Shown): Promise<Readonly<Record<string, string>>> {
  const failed = manifest.clusters.flatMap(({ failure }) => failure ?? []);
  const pools = manifest.clusters.flatMap(({ heldPools }) => heldPools.flatMap(({ lines }) => lines ?? []));
  const ofConsole = failed.map((of) => renderToStaticMarkup(createElement(ThreeLines, { of, kind: '', ago: '' })));
  const ready = manifestReadiness(manifest).find(([type]) => type === 'Ready');
  return {
    describe: joined(describeManifest(manifest, { width: 80 }).split('\n')),
    events: joined(events.flatMap((event) => eventLines(event, 0, 80))),
    wait: joined((await waited({ manifest, events })).split('\n')),
    console: [
      ...ofConsole.map((html) =>
        html.replaceAll(/<[^>]+>/g, '\n').replaceAll(/&(\w+|#x27);/g, (_, name) => entities[name] ?? '?'),
      ),
      ...pools.flatMap(({ what, cause, todo }) => [what, cause, todo]),
    ].join('\n'),
    operator: manifestStatus(manifest, []).message ?? '',
    condition: ready?.[3] ?? '',
  };
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

/** Lines as a terminal of 80 columns has them, as one text with single spaces. */
export function joined(lines: readonly string[]): string {
  return lines
    .map((line) => stripVTControlCharacters(line).trim())
    .join(' ')
    .replaceAll(/ +/g, ' ');
}

async function waited({ manifest, events }: Shown): Promise<string> {
  const pieces: string[] = [];
  const write = process.stdout.write;
  process.stdout.write = ((piece: string) => pieces.push(piece) > 0) as typeof write;
  try {
    const { namespace, name, generation, attempt, runId } = manifest;
    const api = watchedApi([{ look: manifest }], [...events]) as Parameters<typeof waitForRun>[0];
    const accepted = {
      namespace,
      name,
      generation,
      attempt,
      runId,
      unchanged: false,
      paused: false,
      warnings: [],
      links: {},
    };
    await waitForRun(api, manifest, accepted, { json: false });
  } finally {
    process.stdout.write = write;
  }
  return pieces.join('');
}
