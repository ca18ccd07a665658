/** Finds any of many texts in another, in time that does not depend on how many there are. */

/** Characters by which texts are found. */
const gram = 4;
const unitBits = 5;
const buckets = 1 << (gram * unitBits);
/** Odd, so that characters that differ give numbers that differ. */
const spread = 0x2f35;

/** This many characters in a row of a long text are enough: they may be all that a line has of it. */
const enough = 24;
/** So a run of `enough` has one whole anchor in it. */
const stride = enough / 2;

interface Anchor {
  readonly text: string;
  /** Where in the text it is. */
  readonly at: number;
  /** Characters that must be there in a row. */
  readonly least: number;
  /** The whole run of base64 around it belongs to it. */
  readonly isBase64: boolean;
}

export class TextFinder {
  readonly #known = new Set<string>();
  readonly #seen = new Uint8Array(buckets);
  readonly #anchors = new Map<number, Anchor[]>();

  /** `partly`: 24 characters of a longer text are found, too. */
  add(text: string, { partly = false, isBase64 = false } = {}): void {
    if (text.length < gram || this.#known.has(text)) return;
    this.#known.add(text);
    const inParts = partly && text.length > enough;
    const last = inParts ? text.length - stride : 0;
    for (let at = 0; at <= last; at += stride)
      this.#anchor({ text, at, least: inParts ? enough : text.length, isBase64 });
  }

  #anchor(anchor: Anchor): void {
    const hash = hashAt(anchor.text, anchor.at);
    const known = this.#anchors.get(hash);
    if (known) known.push(anchor);
    else this.#anchors.set(hash, [anchor]);
    this.#seen[hash] = 1;
  }

  /** `text` with every place of a known text replaced. */
  replaced(text: string, by: string): string {
    const places: [number, number][] = [];
    const seen = this.#seen;
    let end = 0;
    let hash = 0;
    for (let next = 0; next < text.length; next += 1) {
      // It rolls: each character is shifted out by the fourth after it.
      hash = ((hash << unitBits) ^ (text.charCodeAt(next) * spread)) & (buckets - 1);
      const at = next - gram + 1;
      if (at < 0 || seen[hash] === 0) continue;
      for (const anchor of this.#anchors.get(hash) ?? []) {
        if (at + anchor.text.length - anchor.at <= end) continue;
        const place = placeOf(text, at, anchor);
        if (place === undefined) continue;
        places.push(place);
        end = Math.max(end, place[1]);
      }
    }
    return places.length === 0 ? text : withoutPlaces(text, places, by);
  }
}

/** As `replaced` has it after the four characters at this place: what is shifted out has no part in it. */
function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let next = at; next < at + gram; next += 1)
    hash = ((hash << unitBits) ^ (text.charCodeAt(next) * spread)) & (buckets - 1);
  return hash;
}

/** The run of the anchor's text around this place, if it is long enough. */
function placeOf(
  text: string,
  at: number,
  { text: known, at: inKnown, least, isBase64 }: Anchor,
): [number, number] | undefined {
  let after = 0;
  while (inKnown + after < known.length && text.charCodeAt(at + after) === known.charCodeAt(inKnown + after))
    after += 1;
  let before = 0;
  while (before < inKnown && at > before && text.charCodeAt(at - before - 1) === known.charCodeAt(inKnown - before - 1))
    before += 1;
  if (before + after < least) return undefined;
  let [from, to] = [at - before, at + after];
  if (isBase64) {
    while (from > 0 && isOfBase64(text.charCodeAt(from - 1))) from -= 1;
    while (to < text.length && isOfBase64(text.charCodeAt(to))) to += 1;
  }
  return [from, to];
}

/** Letters, digits and `_+/=-`. */
function isOfBase64(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 47 && unit <= 57) ||
    [43, 45, 61, 95].includes(unit)
  );
}

function withoutPlaces(text: string, places: [number, number][], by: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const [from, to] of places.sort(([one], [other]) => one - other)) {
    if (from >= done && (from > done || parts.length === 0)) parts.push(text.slice(done, from), by);
    done = Math.max(done, to);
  }
  return parts.join('') + text.slice(done);
}
