/**
 * Whether an expression takes more than linear time on some text. It does when two of its loops, or one of its loops and the search for
 * the place where it matches, read the same text: it then tries each place where the one may stop and the other may start.
 */
import { CharSet, type Concatenation, type Element, JS, type Expression as Root } from 'refa';
import { analyse } from 'scslre';

export interface Expression {
  readonly source: string;
  readonly flags: string;
}

/** The reason why it is slow; undefined when it takes linear time. */
export function slownessOf(expression: Expression): string | undefined {
  const [report] = analyse(expression).reports;
  if (report) return report.exponential ? 'is exponential' : `has loops that read the same text (${report.type})`;
  return slowLoop(expression);
}

/** One character of the expression, and what may follow it. */
interface Place {
  readonly reads: CharSet;
  readonly then: Ways;
}
interface Ways {
  readonly begins: Begin[];
  /** Nothing has to follow: it matches. */
  matches: boolean;
}
interface Begin {
  readonly place: Place;
  readonly reads: CharSet;
  /** What may precede it. */
  readonly after: CharSet;
}

type Node = Root | Element;

function slowLoop({ source, flags }: Expression): string | undefined {
  const parsed = JS.Parser.fromLiteral({ source, flags }).parse({ assertions: 'parse', backreferences: 'disable' });
  const all = CharSet.all(parsed.maxCharacter);
  const places: Place[] = [];
  const start = waysInto(parsed.expression, { begins: [], matches: true }, { all, places });
  const loops = places.filter((place) => !place.then.matches);
  const searched = flags.includes('y') ? [] : start.begins;
  for (const loop of loops) {
    if (isAmbiguous(loop)) return 'is exponential';
    if (meetAgain(loop, all, searched)) return 'reads a text to its end that is searched from each of its places';
    for (const other of loops) {
      const own = other.then.begins.find(({ place }) => place === other);
      const others = other.then.begins.filter(({ place }) => place !== other);
      if (own && other !== loop && meetAgain(loop, own.reads, others)) return 'has two loops that read the same text';
    }
  }
  return undefined;
}

interface Building {
  readonly all: CharSet;
  readonly places: Place[];
}

/** What may be read first of `node` and of what follows it. */
function waysInto(node: Node, then: Ways, building: Building): Ways {
  switch (node.type) {
    case 'CharacterClass': {
      const place = { reads: node.characters, then };
      building.places.push(place);
      return { begins: [{ place, reads: node.characters, after: building.all }], matches: false };
    }
    case 'Expression':
    case 'Alternation':
      return anyOf(node.alternatives, then, building);
    case 'Quantifier': {
      if (node.max === Number.POSITIVE_INFINITY) {
        const again: Ways = { begins: [...then.begins], matches: then.matches };
        const inside = anyOf(node.alternatives, again, building);
        again.begins.push(...inside.begins);
        return node.min === 0 ? again : inside;
      }
      // More copies of a part with a bound have no other way through it.
      const once = node.max === 0 ? then : anyOf(node.alternatives, then, building);
      return node.min === 0 ? joined([once, then]) : once;
    }
    case 'Assertion':
      return asserted(node, then, building.all);
    default:
      return then;
  }
}

const joined = (ways: readonly Ways[]): Ways => ({
  begins: ways.flatMap(({ begins }) => begins),
  matches: ways.some(({ matches }) => matches),
});

const anyOf = (alternatives: readonly Concatenation[], then: Ways, building: Building): Ways =>
  joined(
    alternatives.map(({ elements }) =>
      elements.reduceRight((ways, element) => waysInto(element, ways, building), then),
    ),
  );

/** What is known of the character before or after is kept (none is before the start of a text); of the rest, that it may fail. */
function asserted(
  { kind, negate, alternatives }: Extract<Node, { type: 'Assertion' }>,
  then: Ways,
  all: CharSet,
): Ways {
  const next = alternatives.map(({ elements }) => (kind === 'behind' ? elements.at(-1) : elements[0]));
  const isWhole = alternatives.every(({ elements }) => elements.length === 1);
  const sets = next.flatMap((element) => (element?.type === 'CharacterClass' ? [element.characters] : []));
  const isKnown = sets.length === next.length && (isWhole || !negate);
  const set = CharSet.empty(all.maximum).union(...sets);
  const fits = !isKnown ? all : negate ? set.negate() : set;
  const begins = then.begins
    .map((begin) =>
      kind === 'behind'
        ? { ...begin, after: begin.after.intersect(fits) }
        : { ...begin, reads: begin.reads.intersect(fits) },
    )
    .filter(({ reads, after }) => !reads.isEmpty && !after.isEmpty);
  return { begins, matches: false };
}

/** Does a text lead round `loop`, all of it in `within`, whose end also leads from one of `begins` to `loop`? */
function meetAgain(loop: Place, within: CharSet, begins: readonly Begin[]): boolean {
  const round = roundOf(loop);
  const seen = new Map<Place | undefined, Set<Place>>();
  const open: { readonly later: Place | undefined; readonly at: Place }[] = [{ later: undefined, at: loop }];
  for (let state = open.pop(); state; state = open.pop()) {
    const { later, at } = state;
    for (const next of at.then.begins) {
      const text = next.reads.intersect(within);
      if (!round.has(next.place) || text.isEmpty) continue;
      const ways = later ? later.then.begins : begins.filter(({ after }) => !after.isDisjointWith(at.reads));
      const places = ways.filter(({ reads }) => !reads.isDisjointWith(text)).map(({ place }) => place);
      if (next.place === loop && places.includes(loop)) return true;
      for (const place of later ? places : [undefined, ...places]) {
        if (isNew(seen, place, next.place)) open.push({ later: place, at: next.place });
      }
    }
  }
  return false;
}

/** Are there two ways round `loop` for one text? */
function isAmbiguous(loop: Place): boolean {
  const round = roundOf(loop);
  const seen = { same: new Map<Place, Set<Place>>(), parted: new Map<Place, Set<Place>>() };
  const open = [{ one: loop, other: loop, parted: false }];
  for (let state = open.pop(); state; state = open.pop())
    for (const one of state.one.then.begins)
      for (const other of state.other.then.begins) {
        if (!round.has(one.place) || !round.has(other.place) || one.reads.isDisjointWith(other.reads)) continue;
        const parted = state.parted || one.place !== other.place;
        if (parted && one.place === loop && other.place === loop) return true;
        if (isNew(seen[parted ? 'parted' : 'same'], one.place, other.place))
          open.push({ one: one.place, other: other.place, parted });
      }
  return false;
}

function isNew<Key>(seen: Map<Key, Set<Place>>, key: Key, place: Place): boolean {
  const known = seen.get(key) ?? new Set();
  seen.set(key, known);
  const before = known.size;
  return known.add(place).size > before;
}

/** The places from which `loop` is read again; none when it is not in a loop. */
function roundOf(loop: Place): ReadonlySet<Place> {
  const from = new Map<Place, Set<Place>>();
  const open = [loop];
  const seen = new Set(open);
  for (let place = open.pop(); place; place = open.pop())
    for (const { place: next } of place.then.begins) {
      from.set(next, (from.get(next) ?? new Set<Place>()).add(place));
      if (!seen.has(next)) {
        seen.add(next);
        open.push(next);
      }
    }
  const round = new Set<Place>();
  const back = [...(from.get(loop) ?? [])];
  for (let place = back.pop(); place; place = back.pop())
    if (!round.has(place)) {
      round.add(place);
      back.push(...(from.get(place) ?? []));
    }
  return round;
}
