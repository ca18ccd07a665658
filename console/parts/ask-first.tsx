/** A button that says what follows, and the command for it, before anything is asked of the API. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { CopyCommand } from './copy-command.tsx';
import { Trouble } from './states.tsx';

interface AskFirstProps {
  readonly title: string;
  /** What it is about, behind the title. */
  readonly about: string;
  /** What follows, for who is about to do it. */
  readonly says: string;
  readonly command: string;
  /** @default false */
  readonly main?: boolean;
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
      {asked && <Question {...props} close={() => setAsked(false)} />}
    </>
  );
}

function Question({ title, about, says, command, send, done, close }: AskFirstProps & { readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const client = useQueryClient();
  useEffect(() => dialog.current?.showModal(), []);
  const work = useMutation({
    mutationFn: send,
    onSuccess: async () => {
      close();
      done?.();
      await client.invalidateQueries();
    },
  });
  return (
    <dialog ref={dialog} onClose={close} aria-label={`${title}: ${about}`}>
      <h2>
        {title}: {about}
      </h2>
      <p>{says}</p>
      <p className="dim">The same in a terminal:</p>
      <CopyCommand command={command} />
      {work.error && <Trouble error={work.error} what={title} />}
      <div className="choices">
        <button type="button" className="main" disabled={work.isPending} onClick={() => work.mutate()}>
          {work.isPending ? 'Asking …' : title}
        </button>
        <button type="button" onClick={close}>
          Not now
        </button>
      </div>
    </dialog>
  );
}
