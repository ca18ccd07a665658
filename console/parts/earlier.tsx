/** Asks for events before the oldest that a page has. */
import type { useFeed } from '../feed.ts';

export function Earlier({ of: { hasEarlier, reads, readEarlier } }: { readonly of: ReturnType<typeof useFeed> }) {
  if (!hasEarlier) return null;
  return (
    <p>
      <button type="button" disabled={reads} onClick={() => void readEarlier()}>
        {reads ? 'Asking …' : 'Show earlier'}
      </button>
    </p>
  );
}
