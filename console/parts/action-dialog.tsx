/** A dialog that says what follows, and the command for it, before anything is asked of the API. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { announce } from './announce.tsx';
import { CopyCommand } from './copy-command.tsx';
import { NotAccepted } from './states.tsx';
import { useWordToType } from './word-to-type.tsx';

export interface DialogAction {
  readonly title: string;
  /** What it is about, after the title. */
  readonly about: string;
  /** What follows, for who is about to do it. */
  readonly says: string;
  readonly command: string;
  /** Has to be typed before, where machines may be deleted. @default nothing has to */
  readonly word?: string | undefined;
  readonly send: () => Promise<unknown>;
  /** After it was accepted. */
  readonly done?: (() => void) | undefined;
}

interface ActionDialogProps extends DialogAction {
  readonly closed: () => void;
  /** It can be sent now. @default true */
  readonly ready?: boolean;
  /** Why it cannot be sent, where a fault of the request would be shown. @default nothing */
  readonly trouble?: ReactNode;
  /** More text of the dialog. */
  readonly children?: ReactNode;
}

export function ActionDialog({ title, about, says, command, word, send, done, closed, ...more }: ActionDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { isTyped, field } = useWordToType(word, 'Machines may be deleted.');
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
    <dialog ref={dialog} onClose={closed} aria-labelledby={id}>
      <h2 id={id}>
        {title}: {about}
      </h2>
      <p>{says}</p>
      {more.children}
      {field}
      <p className="dim">The same in a terminal:</p>
      <CopyCommand command={command} />
      {work.error ? <NotAccepted error={work.error} what={title} /> : more.trouble}
      <div className="choices">
        <button
          type="button"
          className="main"
          disabled={work.isPending || !isTyped || more.ready === false}
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
