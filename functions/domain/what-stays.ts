/**
 * The one question before something is given away: which other living thing of its kind stays? That a record of another exists is no answer.
 * Copies of a volume, members of etcd, endpoints, targets and machines of a pool are all asked here. Pure.
 */

/** One of several things that can stand in for each other. What no longer exists is not among them. */
export interface Alternative {
  readonly name: string;
  /** It answered when it was asked just now; what is not known is not an answer. */
  readonly answers: boolean;
  /** This change or another one removes it. */
  readonly leaves: boolean;
}

/** Names of those that answer and stay. */
export function whatStays(alternatives: readonly Alternative[]): ReadonlySet<string> {
  return new Set(alternatives.filter(({ answers, leaves }) => answers && !leaves).map(({ name }) => name));
}

/** Something that a holder has, as a node has a copy of a volume. */
export interface Holding {
  readonly thing: string;
  readonly holder: string;
  /** False: what it has may not be good, though the holder answers. @default true */
  readonly answers?: boolean;
}

/** Names of the things of which no holder stays once `leaving` is gone, sorted. Things that it does not hold are not lost with it. */
export function lostWith(leaving: string, holdings: readonly Holding[], stays: ReadonlySet<string>): readonly string[] {
  const kept = new Set(
    holdings
      .filter(({ holder, answers = true }) => answers && holder !== leaving && stays.has(holder))
      .map(({ thing }) => thing),
  );
  const held = holdings.filter(({ holder }) => holder === leaving).map(({ thing }) => thing);
  return [...new Set(held)].filter((thing) => !kept.has(thing)).sort();
}

/** Members that vote, as those of etcd do. */
export interface Electorate {
  /** Names of all members that there are, those that leave later too. */
  readonly members: readonly string[];
  /** Names of those that answer. */
  readonly living: ReadonlySet<string>;
}

/**
 * True when those that are left without `leaving` are a majority of themselves that answers. One that does not answer has no vote that could
 * be missed: without it the others need fewer.
 */
export function keepsQuorum(leaving: string, { members, living }: Electorate): boolean {
  if (!living.has(leaving)) return true;
  const left = [...new Set(members)].filter((name) => name !== leaving);
  return left.filter((name) => living.has(name)).length * 2 > left.length;
}

/** The order in which members leave: those that do not answer first, since each of them makes the majority of the others larger. */
export function deadFirst<Member extends { readonly name: string }>(
  members: readonly Member[],
  living: ReadonlySet<string>,
): readonly Member[] {
  return members.toSorted((one, other) => Number(living.has(one.name)) - Number(living.has(other.name)));
}

/** The size that is asked for, unless machines that exist and that no one asked to remove would leave with it. */
export function sizeThatKeeps(asked: number, machines: readonly Pick<Alternative, 'leaves'>[]): number {
  return Math.max(asked, machines.filter(({ leaves }) => !leaves).length);
}
