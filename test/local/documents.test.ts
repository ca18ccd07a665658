/** Upstream files of documents on this machine. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { documentDirectories, upstreamMissing, upstreamThere } from '#local/documents.ts';
import upstream from '../../templates/kubernetes/upstream.json' with { type: 'json' };

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'kubeloom-documents-'));
  process.env.KUBELOOM_HOME = home;
});
afterEach(() => rmSync(home, { recursive: true }));

test('an upstream file that is nowhere is missing, with its name', () => {
  expect(upstreamMissing()).toEqual([upstream.longhorn.file]);
  expect(upstreamThere()).toEqual([]);
});

test('an upstream file below the home of Kubeloom, or in KUBELOOM_DOCUMENTS, is there', () => {
  process.env.KUBELOOM_DOCUMENTS = join(home, 'own');
  for (const directory of documentDirectories()) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, upstream.longhorn.file), '');
    expect(upstreamThere()).toEqual(['longhorn']);
    rmSync(directory, { recursive: true });
  }
});
