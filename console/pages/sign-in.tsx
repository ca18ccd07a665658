/** What someone sees who is not signed in: how to get in, and nothing else. */
import { useState } from 'react';
import { commands } from '../model/commands.ts';
import { CopyCommand } from '../parts/copy-command.tsx';
import { errorText, wayIn } from '../sign-in/way-in.ts';

interface Props {
  /** Why the sign-in was refused; empty without a reason. */
  readonly refusal: string;
  /** There was a session. */
  readonly ended: boolean;
}

export function SignInPage({ refusal, ended }: Props) {
  const { toSignIn } = wayIn();
  const [fault, setFault] = useState(refusal);
  return (
    <main className="sign-in">
      <h1>
        <img src="/console/icon.svg" alt="" width="32" height="32" /> Kubeloom
      </h1>
      {fault !== '' && (
        <p className="notice bad" role="alert">
          <span aria-hidden="true">✗</span> {fault}
        </p>
      )}
      <p>{ended ? 'Your session has ended.' : 'You are not signed in.'}</p>
      {toSignIn ? (
        <>
          <p>
            <button
              type="button"
              className="main"
              onClick={() => void toSignIn().catch((error: unknown) => setFault(errorText(error)))}
            >
              Sign in
            </button>
          </p>
          <p>You sign in on a page of your organisation and come back to this place. No password is ever typed here.</p>
        </>
      ) : (
        <>
          <p>In a terminal where you use Kubeloom, run</p>
          <CopyCommand command={commands.console()} />
          <p>
            and open the address that it prints. It works once, within two minutes; no password and no token is ever
            typed here.
          </p>
        </>
      )}
    </main>
  );
}
