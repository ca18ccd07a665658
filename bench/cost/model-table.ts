/** The table of the model: seconds and dollars of each design, those of a creation first. */
import type { RunWork } from '#contracts/stage.ts';
import { designs, driftCheck, type Medians, type ModelOutcome, question, waypoint } from './model.ts';
import { changeToolSeconds } from './phase-times.ts';

/** A creation and one more node have work for the same stages. */
const stages: readonly RunWork[] = ['infrastructure', 'configuration', 'kubernetes', 'nodes'];

export interface ModelRow {
  readonly design: string;
  /** Built. */
  readonly now: boolean;
  readonly creation: ModelOutcome;
  readonly change: ModelOutcome;
  readonly check: ModelOutcome;
  readonly question: ModelOutcome;
}

export function modelTable(medians: Medians = {}): readonly ModelRow[] {
  return designs.map((design) => ({
    design: design.name,
    now: design.now,
    creation: waypoint(design, stages, { medians }),
    change: waypoint(design, stages, { medians, tools: changeToolSeconds }),
    check: driftCheck(design, medians),
    question: question(design, medians),
  }));
}

export function modelLines(medians: Medians = {}): readonly string[] {
  const cell = ({ seconds, dollars }: ModelOutcome): string =>
    `${seconds.toFixed(0).padStart(6)} s ${`$${dollars.toFixed(5)}`.padStart(9)}`;
  const row = ({ design, now, creation, change, check, question: asked }: ModelRow): string =>
    `${design.padEnd(46)}${now ? '*' : ' '} ${[creation, change, check, asked].map(cell).join('  ')}`;
  return [
    'Builds by the model (bench/cost/phase-times.ts); each line has all changes above it. *: built',
    `${''.padEnd(48)}${['creation', 'one more node', 'check for drift', 'check of credentials'].map((name) => name.padStart(19)).join(' ')}`,
    ...modelTable(medians).map(row),
  ];
}
