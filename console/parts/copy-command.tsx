/** The command that shows or does the same, one click away from a terminal. */
import { useEffect, useState } from 'react';

export function CopyCommand({ command, label }: { readonly command: string; readonly label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = window.setTimeout(() => setCopied(false), 2000);
    return () => window.clearTimeout(timer);
  }, [copied]);
  return (
    <button
      type="button"
      className="command"
      title="Copy as command"
      onClick={() => void navigator.clipboard.writeText(command).then(() => setCopied(true))}
    >
      <span className="prompt" aria-hidden="true">
        $
      </span>
      <code>{label ?? command}</code>
      <span className="copied" aria-live="polite">
        {copied ? 'copied' : ''}
      </span>
      <span className="hidden">Copy as command</span>
    </button>
  );
}
