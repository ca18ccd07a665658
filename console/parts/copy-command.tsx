/** The command that shows or does the same, one click away from a terminal. */
import { useEffect, useState } from 'react';
import { inContext } from '../model/commands.ts';
import { wayIn } from '../sign-in/way-in.ts';

export function CopyCommand({ command, label }: { readonly command: string; readonly label?: string }) {
  const [result, setResult] = useState('');
  const { context } = wayIn();
  useEffect(() => {
    if (result === '') return;
    const timer = window.setTimeout(() => setResult(''), 2000);
    return () => window.clearTimeout(timer);
  }, [result]);
  const copy = async (): Promise<void> =>
    navigator.clipboard.writeText(inContext(command, context)).then(
      () => setResult('copied'),
      () => setResult('the browser does not allow it: select the text'),
    );
  return (
    <button type="button" className="command" title="Copy as command" onClick={() => void copy()}>
      <span className="prompt" aria-hidden="true">
        $
      </span>
      <code>{inContext(label ?? command, context)}</code>
      <span className="copied" aria-live="polite">
        {result}
      </span>
      <span className="hidden">Copy as command</span>
    </button>
  );
}
