/** The bar of every page: where one can go, and who one is; in a narrow window behind a button. */
import { useEffect, useRef, useState } from 'react';
import { useWhoAmI } from '../queries.ts';
import { hrefOf } from '../routes.ts';
import { wayIn } from '../sign-in/way-in.ts';
import { ThemeSwitch } from './theme.tsx';

/** By the first part of their address. */
const pages = {
  '': 'Fleet',
  attention: 'Needs you',
  events: 'Events',
  new: 'New',
  inventory: 'Inventory',
  settings: 'Settings',
  access: 'Access',
} as const;

interface TopBarProps {
  readonly path: readonly string[];
  readonly help: () => void;
}

export function TopBar({ path, help }: TopBarProps) {
  const me = useWhoAmI();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const [first = ''] = path;
  const place = path.join('/');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place was chosen in it
  useEffect(() => setOpen(false), [place]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu from wherever the focus is in it
    <header
      className={open ? 'bar open' : 'bar'}
      onKeyDown={({ key }) => {
        if (key !== 'Escape' || !open) return;
        setOpen(false);
        button.current?.focus();
      }}
    >
      <a className="mark" href={hrefOf([])}>
        <img src="/console/icon.svg" alt="" width="22" height="22" /> Kubeloom
      </a>
      <button
        ref={button}
        type="button"
        className="menu-button"
        aria-expanded={open}
        aria-controls="menu"
        onClick={() => setOpen(!open)}
      >
        <span aria-hidden="true">☰</span> Menu
      </button>
      <div id="menu" className="menu">
        <nav aria-label="Pages">
          {Object.entries(pages).map(([id, title]) => (
            <a
              key={id}
              href={hrefOf(id === '' ? [] : [id])}
              aria-current={id === (first === 'manifests' ? '' : first) ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <div className="bar-end">
          <ThemeSwitch />
          <button type="button" className="quiet" onClick={help}>
            Keys <kbd>?</kbd>
          </button>
          <span className="me">{me.data?.name ?? '…'}</span>
          <button type="button" className="quiet" onClick={() => void wayIn().signOut()}>
            Sign out
          </button>
        </div>
      </div>
    </header>
  );
}
