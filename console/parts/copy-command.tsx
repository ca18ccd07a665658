/** The command that shows or does the same, one click away from a terminal. */
import { useEffect, useState } from 'react';

export function CopyCommand({ command, label }: { readonly command: string; readonly label?: string }) {
  const [result, setResult] = useState('');
  useEffect(() => {
    if (result === '') return;
    const timer = window.setTimeout(() => setResult(''), 2000);
    return () => window.clearTimeout(timer);
  }, [result]);
  const copy = async (): Promise<void> =>
    navigator.clipboard.writeText(command).then(
      () => setResult('copied'),
      () => setResult('the browser does not allow it: select the text'),
    );
  return (
    <button type="button" className="command" title="Copy as command" onClick={() => void copy()}>
      <span className="prompt" aria-hidden="true">
        $
      </span>
      <code>{label ?? command}</code>
      <span className="copied" aria-live="polite">
        {result}
      </span>
      <span className="hidden">Copy as command</span>
    </button>
  );
}
