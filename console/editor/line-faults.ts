/** Faults at their lines: a sign before the line, its text marked, the reason where a pointer rests, F8 from one to the next. */
import { RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, GutterMarker, gutter } from '@codemirror/view';

export interface LineFault {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export const setFaults = StateEffect.define<readonly LineFault[]>();

class FaultMark extends GutterMarker {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override eq(other: FaultMark): boolean {
    return other.text === this.text;
  }

  override toDOM(): Node {
    const sign = document.createElement('span');
    sign.textContent = '✗';
    sign.title = this.text;
    return sign;
  }
}

/** They move with what is written, until others are found. */
const faults = StateField.define<RangeSet<FaultMark>>({
  create: () => RangeSet.empty,
  update(before, { changes, effects, state: { doc } }) {
    const found = effects.findLast((effect) => effect.is(setFaults))?.value as readonly LineFault[] | undefined;
    if (found === undefined) return before.map(changes);
    const byLine = Map.groupBy(
      found.filter(({ line }) => line >= 1 && line <= doc.lines),
      ({ line }) => line,
    );
    const marks = [...byLine].map(([line, all]) =>
      new FaultMark(all.map(({ text }) => text).join('\n')).range(doc.line(line).from),
    );
    return RangeSet.of(marks, true);
  },
});

export const lineFaults = [
  faults,
  gutter({ class: 'fault-signs', markers: ({ state }) => state.field(faults), initialSpacer: () => new FaultMark('') }),
  EditorView.decorations.compute([faults, 'doc'], (state) => {
    const lines = new Map<number, string>();
    for (const cursor = state.field(faults).iter(); cursor.value; cursor.next())
      lines.set(state.doc.lineAt(cursor.from).from, cursor.value.text);
    return RangeSet.of(
      [...lines].map(([from, title]) => Decoration.line({ class: 'fault-line', attributes: { title } }).range(from)),
      true,
    );
  }),
  EditorView.contentAttributes.compute([faults], (state) => ({
    'aria-invalid': String(state.field(faults).size > 0),
  })),
];

/** The next one below the cursor, or the first; it is announced. */
export function nextFault(view: EditorView): boolean {
  const { state } = view;
  const { from } = state.doc.lineAt(state.selection.main.head);
  const all: { readonly at: number; readonly text: string }[] = [];
  for (const cursor = state.field(faults).iter(); cursor.value; cursor.next())
    all.push({ at: cursor.from, text: cursor.value.text });
  const next = all.find(({ at }) => at > from) ?? all[0];
  if (!next) return false;
  const line = state.doc.lineAt(next.at);
  view.dispatch({
    selection: { anchor: line.from + (/^\s*/.exec(line.text)?.[0].length ?? 0) },
    effects: [
      EditorView.scrollIntoView(line.from, { y: 'center' }),
      EditorView.announce.of(`line ${line.number}: ${next.text}`),
    ],
  });
  return true;
}
