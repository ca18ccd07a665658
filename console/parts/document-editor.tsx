/** A field for documents in YAML. What colours, completes and marks faults is loaded when it is shown; where that fails, one can write all the same. */
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { CodeEditor } from '../editor/code-editor.ts';
import type { LineFault } from '../editor/line-faults.ts';

interface DocumentEditorProps {
  readonly label: string;
  readonly text: string;
  readonly write: (text: string) => void;
  /** What is shown while there is no text. */
  readonly example: string;
  /** @default none */
  readonly faults?: readonly LineFault[];
  /** For what goes to a line. */
  readonly editor?: RefObject<CodeEditor | null>;
  /** @default that of a page */
  readonly short?: true;
}

const keys = 'Ctrl-Space completes, F8 goes to the next fault, Ctrl-] and Ctrl-[ indent, Tab leaves the editor.';

export function DocumentEditor({ label, text, write, example, faults = none, editor, short }: DocumentEditorProps) {
  const id = useId();
  const host = useRef<HTMLDivElement>(null);
  const made = useRef<CodeEditor>(null);
  const [state, setState] = useState<'loads' | 'works' | 'failed'>('loads');
  const latest = useRef({ text, write });
  latest.current = { text, write };
  /** What was written here and has not come back yet: who types is faster than the page is drawn. */
  const written = useRef<string[]>([]);
  useEffect(() => {
    let isGone = false;
    import('../editor/code-editor.ts').then(
      ({ codeEditor }) => {
        if (isGone || !host.current) return;
        const settings = { label, keys, example, text: latest.current.text };
        const writeOn = (next: string): void => {
          written.current.push(next);
          latest.current.write(next);
        };
        made.current = codeEditor(host.current, { ...settings, write: writeOn });
        if (editor) editor.current = made.current;
        setState('works');
      },
      () => setState('failed'),
    );
    return () => {
      isGone = true;
      made.current?.remove();
      made.current = null;
      if (editor) editor.current = null;
    };
  }, [label, example, editor]);
  useEffect(() => {
    const own = written.current.indexOf(text);
    written.current = written.current.slice(own + 1);
    if (own < 0) made.current?.setText(text);
  }, [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: also those that were found before it was there
  useEffect(() => made.current?.setFaults(faults), [faults, state]);
  if (state === 'failed')
    return (
      <>
        <label htmlFor={id} className="hidden">
          {label}
        </label>
        <textarea
          {...{ id, value: text, spellCheck: false, placeholder: example }}
          className={short && 'short'}
          onChange={(event) => write(event.target.value)}
        />
      </>
    );
  return (
    <>
      <div ref={host} className={short ? 'code short' : 'code'}>
        {state === 'loads' && 'Loading the editor …'}
      </div>
      <p className="dim">{keys}</p>
    </>
  );
}

const none: readonly LineFault[] = [];
