/** `node bench/cost/phases.ts FILE`: the model with the medians of an installation, from what `kubeloom events NAME --json` printed. */
import { readFileSync } from 'node:fs';
import { mediansOf } from './medians.ts';
import { modelLines } from './model-table.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node bench/cost/phases.ts FILE');
const text = readFileSync(file, 'utf8').trim();
// One document with all events, or one event a line.
const events: unknown[] = text.startsWith('[') ? JSON.parse(text) : text.split('\n').map((line) => JSON.parse(line));
const medians = mediansOf(events);
const known = Object.entries(medians).map(
  ([stage, { before, tool, after }]) => `${stage}: ${before} s before the tool, ${tool} s tool, ${after} s after it`,
);
process.stdout.write(
  `${['Medians, assumed where nothing was measured:', ...known, '', ...modelLines(medians)].join('\n')}\n`,
);
