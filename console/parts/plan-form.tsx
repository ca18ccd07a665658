/** Sends a request that is bound to one plan, and shows the result: refused, kept as proposed, or accepted. */
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { RequestRefused } from '../api.ts';
import { NotAccepted } from './states.tsx';
import { useWordToType } from './word-to-type.tsx';

/** Said to who may propose, and not approve. */
export const toBeApproved = 'Someone with the role approver has to approve this: it is kept as proposed.';

interface PlanFormProps<Answer> {
  readonly id: string | null;
  readonly work: UseMutationResult<Answer, Error, void>;
  /** Title of the button. */
  readonly title: string;
  /** What was not accepted, in a fault. */
  readonly what: string;
  /** What an approval needs. @default nothing */
  readonly approval?: string | false | undefined;
  /** Where a plan is shown that was kept as proposed. */
  readonly proposalAt: string;
  /** Has to be typed before, where something that exists is removed. @default nothing has to */
  readonly word?: string | undefined;
  readonly before?: ReactNode;
  readonly children?: ReactNode;
}

export function PlanForm<Answer>({
  id,
  work,
  title,
  what,
  approval,
  proposalAt,
  word,
  ...around
}: PlanFormProps<Answer>) {
  const { isTyped, field } = useWordToType(word, 'Something that exists is removed.');
  const isProposed = work.error instanceof RequestRefused && work.error.problem.code === 'ApprovalRequired';
  return (
    <form
      className="carry-out"
      onSubmit={(event) => {
        event.preventDefault();
        work.mutate();
      }}
    >
      {around.before}
      {approval && (
        <p className="notice warn">
          <span aria-hidden="true">!</span> {approval}
        </p>
      )}
      {isProposed ? (
        <p className="notice good" role="status">
          <span aria-hidden="true">✓</span>{' '}
          <span>
            {work.error?.message} <a href={proposalAt}>See what was proposed</a>
          </span>
        </p>
      ) : (
        <>
          {field}
          {work.error && <NotAccepted error={work.error} what={what} />}
          <button type="submit" className="main" disabled={work.isPending || !isTyped}>
            {work.isPending ? 'Asking …' : title}
          </button>{' '}
        </>
      )}
      {around.children}
      <p className="dim">
        plan <code>{id}</code>: exactly this is carried out, or nothing, if anything moved meanwhile.
      </p>
    </form>
  );
}
