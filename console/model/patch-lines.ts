/** The lines of a unified diff with their numbers in both documents. */

export interface PatchLine {
  /** `@`: lines are left out before the next one; `text` says where it is. */
  readonly mark: '+' | '-' | ' ' | '@';
  readonly text: string;
  /** In the document before and after; undefined where it is not in that. */
  readonly before?: number;
  readonly after?: number;
}

export function patchLines(patch: string): readonly PatchLine[] {
  const lines: PatchLine[] = [];
  let [before, after] = [0, 0];
  let inside = false;
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const place = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (place) {
      // An empty side has line 0, and no line of it follows.
      [before, after] = [Number(place[1]), Number(place[2])];
      inside = true;
      lines.push({ mark: '@', text: `line ${after}` });
    } else if (inside) {
      const text = line.slice(1);
      if (line.startsWith('+')) lines.push({ mark: '+', text, after: after++ });
      else if (line.startsWith('-')) lines.push({ mark: '-', text, before: before++ });
      else if (line.startsWith(' ')) lines.push({ mark: ' ', text, before: before++, after: after++ });
    }
  }
  return lines;
}
