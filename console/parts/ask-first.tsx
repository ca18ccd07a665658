/** A button that says what follows, and the command for it, before anything is asked of the API. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { announce } from './announce.tsx';
import { CopyCommand } from './copy-command.tsx';
import { NotAccepted } from './states.tsx';

interface AskFirstProps {
  readonly title: string;
  /** What it is about, behind the title. */
  readonly about: string;
  /** What follows, for who is about to do it. */
  readonly says: string;
  readonly command: string;
  /** @default false */
  readonly main?: boolean;
  /** Has to be typed before, where machines may be deleted. @default nothing has to */
  readonly word?: string | undefined;
  readonly send: () => Promise<unknown>;
  /** After it was accepted. */
  readonly done?: (() => void) | undefined;
}

export function AskFirst(props: AskFirstProps) {
  const [asked, setAsked] = useState(false);
  return (
    <>
      <button type="button" className={props.main ? 'main' : undefined} onClick={() => setAsked(true)}>
        {props.title}
      </button>
      {asked && <Question {...props} closed={() => setAsked(false)} />}
    </>
  );
}

interface QuestionProps extends AskFirstProps {
  readonly closed: () => void;
}

function Question({ title, about, says, command, word, send, done, closed }: QuestionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [typed, setTyped] = useState('');
  const client = useQueryClient();
  useEffect(() => dialog.current?.showModal(), []);
  // The element closes itself: it gives the focus back to the button.
  const close = (): void => dialog.current?.close();
  const work = useMutation({
    mutationFn: send,
    onSuccess: async () => {
      close();
      // The button that opened it may go when its work is done.
      document.getElementById('content')?.focus();
      announce(`${title}: accepted`);
      done?.();
      await client.invalidateQueries();
    },
  });
  return (
    <dialog ref={dialog} onClose={closed} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title}: {about}
      </h2>
      <p>{says}</p>
      {word !== undefined && (
        <p>
          <label htmlFor={id}>
            Machines may be deleted. Type <code>{word}</code> to go on:
          </label>{' '}
          <input
            id={id}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        </p>
      )}
      <p className="dim">The same in a terminal:</p>
      <CopyCommand command={command} />
      {work.error && <NotAccepted error={work.error} what={title} />}
      <div className="choices">
        <button
          type="button"
          className="main"
          disabled={work.isPending || (word !== undefined && typed !== word)}
          onClick={() => work.mutate()}
        >
          {work.isPending ? 'Asking …' : title}
        </button>
        <button type="button" onClick={close}>
          Not now
        </button>
      </div>
    </dialog>
  );
}
