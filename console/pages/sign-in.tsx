/** What someone sees who is not signed in: how to get in, and nothing else. */
import { CopyCommand } from '../parts/copy-command.tsx';

export function SignInPage({ refusal }: { readonly refusal: string | undefined }) {
  return (
    <main className="sign-in">
      <h1>
        <img src="/console/icon.svg" alt="" width="32" height="32" /> Kubeloom
      </h1>
      {refusal !== undefined && (
        <p className="notice bad" role="alert">
          <span aria-hidden="true">✗</span> {refusal}
        </p>
      )}
      <p>You are not signed in. In a terminal where you use Kubeloom, run</p>
      <CopyCommand command="kubeloom console" />
      <p>
        and open the address that it prints. It works once, within two minutes; no password and no token is ever typed
        here.
      </p>
    </main>
  );
}
