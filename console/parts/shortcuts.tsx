/** Keys: the console works without a mouse. */
import { useEffect, useRef, useState } from 'react';
import { go, hrefOf } from '../routes.ts';
import { keep, kept } from '../storage.ts';

const places: Readonly<Record<string, readonly string[]>> = {
  f: [],
  a: ['attention'],
  e: ['events'],
  n: ['new'],
  i: ['inventory'],
  s: ['settings'],
  u: ['access'],
};

const rows = [
  ['/', 'search; Enter: to the first row that was found'],
  ['j, k', 'next row, row before'],
  ['Enter', 'open the row'],
  ['g f', 'fleet'],
  ['g a', 'what needs you'],
  ['g e', 'events of everything'],
  ['g n', 'a new manifest'],
  ['g i', 'inventories and roll-outs'],
  ['g s', 'settings: providers, Secrets, templates, git sources'],
  ['g u', 'access and audit'],
  ['l', 'the log'],
  ['Esc', 'close, leave a field'],
  ['?', 'these keys'],
] as const;

const stored = 'kubeloom-console-shortcuts';
/** Single keys are in the way of who dictates, or hits keys by mistake: they can be switched off. */
const shortcutsAreOn = (): boolean => kept(stored) !== 'off';

export function useShortcuts(help: () => void): void {
  /** Whether the last key was the first of two; also when the page was drawn again between them. */
  const leads = useRef(false);
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const { key } = event;
      // In an editor, which is a tree of its own, too.
      const [target] = event.composedPath();
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
      if (target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))) {
        if (key === 'Escape' && !event.defaultPrevented) target.blur();
        else if (key === 'Enter' && target.matches('[type=search]')) focusOn('[data-row]', event);
        return;
      }
      if (!shortcutsAreOn()) return;
      const place = leads.current ? places[key] : undefined;
      leads.current = !leads.current && key === 'g';
      if (place) go(hrefOf(place));
      else if (key === '?') help();
      else if (key === '/') focusOn('input[type=search]', event);
      else if (key === 'l') focusOn('.log-lines', event);
      else if (key === 'j' || key === 'k') moveRow(key === 'j' ? 1 : -1, event);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [help]);
}

function focusOn(selector: string, event: KeyboardEvent): void {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) return;
  event.preventDefault();
  found.focus();
}

function moveRow(by: number, event: KeyboardEvent): void {
  const links = [...document.querySelectorAll<HTMLElement>('[data-row]')].filter((link) => link.checkVisibility());
  const { activeElement } = document;
  const at = activeElement instanceof HTMLElement ? links.indexOf(activeElement) : -1;
  const next = links[Math.min(links.length - 1, Math.max(0, at + by))];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

export function Help({ open, close }: { readonly open: boolean; readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [on, setOn] = useState(shortcutsAreOn);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <label>
        <input
          type="checkbox"
          checked={on}
          onChange={({ target: { checked } }) => {
            keep(stored, checked ? 'on' : 'off');
            setOn(checked);
          }}
        />{' '}
        Single keys do something (in this browser)
      </label>
      <dl className="keys">
        {rows.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={close}>
        Close
      </button>
    </dialog>
  );
}
