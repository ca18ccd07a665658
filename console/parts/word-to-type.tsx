/** A word that has to be typed before something is removed. */
import { useId, useState } from 'react';

/** Whether it was typed, and the field for it. Without a word there is neither. */
export function useWordToType(word: string | undefined, because: string) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const field = word !== undefined && (
    <p>
      <label htmlFor={id}>
        {because} Type <code>{word}</code> to continue:
      </label>{' '}
      <input
        id={id}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
    </p>
  );
  return { isTyped: word === undefined || typed === word, field };
}
