/** What happens, for who does not see it: the one place where the console says that something ended or another page is shown. */
import { useEffect, useRef, useState } from 'react';
import { pageOf, titleOf } from '../model/titles.ts';

let say: (text: string) => void = () => {};

export const announce = (text: string): void => say(text);

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

/** Says the word whenever it is another than before, not the first one. */
export function useAnnounced(what: string, word: string | undefined): void {
  const before = useRef(word);
  useEffect(() => {
    if (word !== undefined && before.current !== undefined && before.current !== word) announce(`${what}: ${word}`);
    before.current = word;
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
