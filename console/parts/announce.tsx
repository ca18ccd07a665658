/** What happens, for who does not see it: the one place where the console says that something ended or another page is shown. */
import { useEffect, useRef, useState } from 'react';
import { pageOf, titleOf } from '../model/titles.ts';

let say: (text: string) => void = () => {};

let together: string[] = [];

/** Texts of the same moment are announced together: a later one would take the place of the first before it is read. */
export function announce(text: string): void {
  together.push(text);
  if (together.length > 1) return;
  queueMicrotask(() => {
    say(together.join('. '));
    together = [];
  });
}

export function Announcer() {
  const [text, setText] = useState('');
  useEffect(() => {
    say = setText;
    return () => {
      say = () => {};
    };
  }, []);
  return (
    <p className="hidden" role="status" id="announcer">
      {text}
    </p>
  );
}

/** Announces the word whenever it changes, but not the first one; undefined: not known yet; empty: nothing to announce. */
export function useAnnounced(what: string, word: string | undefined): void {
  const before = useRef<{ readonly what: string; readonly word: string }>(undefined);
  useEffect(() => {
    if (word === undefined) return;
    if (word !== '' && before.current?.what === what && before.current.word !== word) announce(`${what}: ${word}`);
    before.current = { what, word };
  }, [what, word]);
}

/** The title of the tab, which `instead` takes where something else is shown; on another page, the focus is at its beginning. */
export function usePlaceNamed(path: readonly string[], instead?: string): void {
  const title = instead ?? titleOf(path);
  const page = pageOf(path);
  const before = useRef(page);
  useEffect(() => {
    document.title = `${title} · Kubeloom`;
  }, [title]);
  useEffect(() => {
    if (before.current === page) return;
    before.current = page;
    document.getElementById('content')?.focus();
    announce(document.title);
  }, [page]);
}
