/** How the editor looks: with the colours of the page, in both schemes. */
import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** By the words of the stream mode for YAML: a key is an atom, a mark of YAML is meta. */
export const colours = HighlightStyle.define([
  { tag: tags.atom, color: 'var(--link)' },
  { tag: [tags.meta, tags.comment], color: 'var(--dim)' },
  { tag: [tags.string, tags.number], color: 'var(--good)' },
  { tag: [tags.keyword, tags.variableName], color: 'var(--warn)' },
  { tag: tags.definitionKeyword, color: 'var(--dim)', fontWeight: '700' },
]);

const mono = 'ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace';

export const codeLook = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--card)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: mono, lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-placeholder': { color: 'var(--dim)' },
  '.cm-gutters': { color: 'var(--dim)', backgroundColor: 'var(--sunken)', borderRight: '1px solid var(--line)' },
  '.fault-signs': { width: '1.4em', color: 'var(--bad)', fontWeight: '700', textAlign: 'center' },
  '.fault-line': { textDecoration: 'underline wavy var(--bad) 1px', backgroundColor: 'var(--bad-back)' },
  '.cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--card)', border: '1px solid var(--dim)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: mono, maxHeight: '16em' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: '#fff', backgroundColor: 'var(--main)' },
  '.cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail': { color: '#fff' },
  '.cm-completionDetail': { color: 'var(--dim)' },
  '.cm-completionInfo': { padding: '0.4em 0.7em', maxWidth: '24em', fontFamily: 'system-ui, sans-serif' },
});
