/** A button whose dialog says what follows. */
import { useState } from 'react';
import { ActionDialog, type DialogAction } from './action-dialog.tsx';

interface AskFirstProps extends DialogAction {
  /** @default false */
  readonly main?: boolean;
}

export function AskFirst({ main, ...action }: AskFirstProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={main ? 'main' : undefined} onClick={() => setOpen(true)}>
        {action.title}
      </button>
      {open && <ActionDialog {...action} closed={() => setOpen(false)} />}
    </>
  );
}
