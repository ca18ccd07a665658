/** What the scripts of a check for drift say of a machine. Pure. */
import { factLines, type MachineFacts, type ReadFacts, readMachineFacts } from '#domain/observed/machine-facts.ts';

export type MachineReport = Pick<
  MachineFacts,
  'surplus' | 'proxy' | 'roles' | 'health' | 'setUpAt' | 'certificates' | 'renewing'
> &
  Required<Pick<MachineFacts, 'mesh'>>;

export interface VisitOutput {
  readonly lines: readonly string[];
  /** The script ran to its end: then each of its lines did, too. */
  readonly whole: boolean;
}

export interface ReadReport {
  /** Undefined: these are not the words of our scripts, or not even those about the mesh, which come first. */
  readonly report?: MachineReport | undefined;
  /** What is wrong with the answer, as the end of a sentence about the machine. */
  readonly problem?: string;
}

/** The last answer to each question counts, of all visits. One answer that is not ours makes all of them worthless. */
export function readMachineReport(visits: readonly VisitOutput[]): ReadReport {
  const all = visits.map(factsOfVisit);
  const problem = all.find((one) => one.problem !== undefined)?.problem;
  if (problem !== undefined) return { problem };
  const { mesh, ...more }: MachineFacts = Object.assign({}, ...all.map(({ facts }) => facts));
  return { report: mesh && { mesh, ...more } };
}

function factsOfVisit({ lines, whole }: VisitOutput): ReadFacts {
  const facts = factLines(lines);
  const read = readMachineFacts(facts);
  // The last line of a visit that was interrupted may be incomplete.
  return whole || read.problem === undefined ? read : readMachineFacts(facts.slice(0, -1));
}
