/** The question before an address makes this browser someone else's: it may have been sent by anyone. */
import { useState } from 'react';
import { errorText } from '../sign-in/way-in.ts';

interface Props {
  /** Who is signed in. */
  readonly name: string | undefined;
  readonly replace: () => Promise<void>;
  readonly stay: () => void;
}

export function SomeoneElse({ name, replace, stay }: Props) {
  const [fault, setFault] = useState<string>();
  return (
    <main className="sign-in">
      <h1>Sign in as someone else?</h1>
      {fault !== undefined && (
        <p className="notice bad" role="alert">
          <span aria-hidden="true">✗</span> {fault}
        </p>
      )}
      <p>
        You are signed in{name === undefined ? '' : ` as ${name}`}. The address that was opened signs in another user,
        in all tabs of this browser. Continue only if you made it yourself with <code>kubeloom console</code>: what you
        do from then on is done in the name of that user.
      </p>
      <p className="buttons">
        <button type="button" className="main" onClick={stay}>
          Stay signed in{name === undefined ? '' : ` as ${name}`}
        </button>
        <button
          type="button"
          className="quiet"
          onClick={() => void replace().catch((error: unknown) => setFault(errorText(error)))}
        >
          Sign in as the other user
        </button>
      </p>
    </main>
  );
}
