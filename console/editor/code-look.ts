/** How the editor looks: with the colours of the page, in both schemes. */
import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** By the words of the parser for YAML: a key is the name of a property, a text without quotation marks is content. */
export const colours = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: 'var(--link)' },
  { tag: [tags.meta, tags.comment, tags.separator, tags.bracket], color: 'var(--dim)' },
  { tag: [tags.string, tags.content], color: 'var(--good)' },
  { tag: [tags.keyword, tags.labelName, tags.typeName], color: 'var(--warn)' },
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
