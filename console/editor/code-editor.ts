/**
 * The text of documents with colours, faults at their lines, and completion by our JSON Schemas: CodeMirror. It is in a shadow root, where it has
 * constructed style sheets: elsewhere it would add style elements, which the policy of the page refuses.
 */
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { history, historyKeymap, indentLess, indentMore, standardKeymap } from '@codemirror/commands';
import { yamlLanguage } from '@codemirror/lang-yaml';
import { indentService, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { Annotation, EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { providerTypesAt } from '../model/provider-in-yaml.ts';
import { type DocumentSchema, type ValuesOfTypes, type Word, wordsAt } from '../model/schema-words.ts';
import { placeInYaml, type YamlPlace } from '../model/yaml-place.ts';
import { codeLook, colours } from './code-look.ts';
import { type LineFault, lineFaults, nextFault, setFaults } from './line-faults.ts';

export interface CodeEditor {
  /** Nothing happens where it is the text already. */
  setText(text: string): void;
  setFaults(faults: readonly LineFault[]): void;
  /** Selects the line, and goes there. */
  goTo(line: number): void;
  remove(): void;
}

interface CodeEditorSettings {
  readonly label: string;
  /** Which keys there are, for who does not see the page. */
  readonly keys: string;
  readonly example: string;
  readonly text: string;
  readonly write: (text: string) => void;
}

export function codeEditor(host: HTMLElement, { label, keys, example, text, write }: CodeEditorSettings): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        ...[lineNumbers(), lineFaults, history(), placeholder(example), EditorState.tabSize.of(2), indentUnit.of('  ')],
        ...[yamlLanguage, syntaxHighlighting(colours), indentation, codeLook],
        autocompletion({
          override: [complete],
          icons: false,
          activateOnCompletion: ({ apply }) => apply !== undefined,
        }),
        // Tab is not among them: it leaves the editor, as any field.
        keymap.of([
          ...[
            ...completionKeymap,
            ...historyKeymap,
            { key: 'Mod-]', run: indentMore },
            { key: 'Mod-[', run: indentLess },
          ],
          ...[{ key: 'F8', run: nextFault }, ...standardKeymap],
        ]),
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-description': keys,
          spellcheck: 'false',
          tabindex: '0',
        }),
        EditorView.domEventHandlers({ beforeinput: replaceSelected }),
        EditorView.updateListener.of(({ docChanged, transactions, state }) => {
          if (docChanged && !transactions.some((one) => one.annotation(given))) write(state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText(next) {
      const { doc } = view.state;
      if (next !== doc.toString())
        view.dispatch({ changes: { from: 0, to: doc.length, insert: next }, annotations: given.of(true) });
    },
    setFaults: (faults) => view.dispatch({ effects: setFaults.of(faults) }),
    goTo(number) {
      const { doc } = view.state;
      const { from, to } = doc.line(Math.min(Math.max(1, number), doc.lines));
      view.dispatch({
        selection: { anchor: from, head: to },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      });
      view.focus();
    },
    remove: () => view.destroy(),
  };
}

/** No one wrote it here. */
const given = Annotation.define<true>();

/** What is typed over a selection: a browser would keep the look of what was there by an inline style, which the policy of the page refuses. */
function replaceSelected(event: InputEvent, view: EditorView): boolean {
  const { inputType, data, isComposing } = event;
  const { from, to } = selected(view);
  if (inputType !== 'insertText' || data === null || isComposing || from === to) return false;
  event.preventDefault();
  const insert = view.state.toText(data);
  const selection = { anchor: from + insert.length };
  view.dispatch({ changes: { from, to, insert }, selection, userEvent: 'input.type', scrollIntoView: true });
  return true;
}

/** Also what the browser has selected a moment ago; in a shadow root, not every browser says that. */
function selected(view: EditorView): { readonly from: number; readonly to: number } {
  const { main } = view.state.selection;
  const inRoot = (view.root as Partial<Pick<Document, 'getSelection'>>).getSelection?.();
  if (!main.empty || !inRoot?.anchorNode || !inRoot.focusNode || inRoot.isCollapsed) return main;
  const ends = [
    view.posAtDOM(inRoot.anchorNode, inRoot.anchorOffset),
    view.posAtDOM(inRoot.focusNode, inRoot.focusOffset),
  ];
  return { from: Math.min(...ends), to: Math.max(...ends) };
}

/** Below a key without a value: deeper. In an item of a list: at its first key. */
const indentation = indentService.of((context, position) => {
  const { text } = context.lineAt(position, -1);
  const [, spaces = '', dashes = '', key] = /^(\s*)((?:-\s+)*)([^\s#][^#]*:(?:\s|$))?/.exec(text) ?? [];
  if (key === undefined) return spaces.length;
  return spaces.length + dashes.length + (/:\s*$/.test(text) ? 2 : 0);
});

let loaded: Promise<DocumentSchema> | undefined;

/** Once for all editors, when something is completed for the first time. */
function schemaOfDocuments(): Promise<DocumentSchema> {
  loaded ??= import('../../schema/input-manifest.schema.json', { with: { type: 'json' } }).then(
    ({ default: schema }: { readonly default: object }) => schema,
  );
  return loaded;
}

let values: Promise<ValuesOfTypes> | undefined;

function valuesOfTypes(): Promise<ValuesOfTypes> {
  values ??= import('../model/values-of-types.json', { with: { type: 'json' } }).then(
    ({ default: known }: { readonly default: ValuesOfTypes }) => known,
  );
  return values;
}

async function complete({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> {
  const text = state.doc.toString();
  const place = placeInYaml(text, pos);
  if (!place || (place.typed === '' && place.what === 'key' && !explicit)) return null;
  const clouds = { values: await valuesOfTypes(), types: providerTypesAt(text, pos) };
  const words = wordsAt(await schemaOfDocuments(), place, clouds);
  // A value that is all there needs no more: Enter is a new line then.
  const isWhole = (typed: string): boolean => place.what === 'value' && words.some((word) => word.text === typed);
  if (words.length === 0 || (isWhole(place.typed) && !explicit)) return null;
  const line = state.doc.lineAt(pos);
  const [rest = ''] = /^[\w.-]*/.exec(line.text.slice(pos - line.from)) ?? [];
  const isKeyAlready = line.text.slice(pos - line.from + rest.length).startsWith(':');
  return {
    from: place.from,
    to: pos + rest.length,
    validFor: (typed: string) => /^[\w.-]*$/.test(typed) && !isWhole(typed),
    options: words.map((word) => optionOf(word, place, isKeyAlready)),
  };
}

function optionOf({ text, detail, meaning, isNeeded, insert }: Word, { what }: YamlPlace, isKeyAlready: boolean) {
  return {
    label: text,
    detail,
    boost: isNeeded ? 1 : 0,
    ...(meaning !== '' && { info: meaning }),
    // A key that is there already, or a value, leads to nothing else.
    ...(what === 'key' && !isKeyAlready && { apply: insert }),
  };
}
