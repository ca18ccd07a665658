/** Places of the console: every view has an address, with all that is chosen in it. */
import { useSyncExternalStore } from 'react';

export interface Place {
  /** `['manifests', 'team', 'shop', 'run']` */
  readonly path: readonly string[];
  /** What is chosen there. */
  readonly chosen: Readonly<Record<string, string>>;
}

function parsePlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const segments = path.split('/').filter((segment) => segment !== '');
  return { path: segments.map(decoded), chosen: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a place; what is chosen and empty is left out. */
export function hrefOf(path: readonly string[], chosen: Readonly<Record<string, string | undefined>> = {}): string {
  const pairs = Object.entries(chosen).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const query = new URLSearchParams(pairs).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${query === '' ? '' : `?${query}`}`;
}

export function usePlace(): Place {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return parsePlace(hash);
}

/** `replace`: the place before is not kept in the history, as while someone writes into a filter. */
export function go(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (href === location.hash) return;
  if (replace) {
    history.replaceState(null, '', href);
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  } else location.hash = href;
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
