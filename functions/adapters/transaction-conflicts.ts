/** DynamoDB refuses a write of an item at the moment of a transaction with it: it is sent again, for about a second. */
import { retryPausing } from '../pauses.ts';

/** `write` sends one request. Throws what it throws at last. */
export const afterConflicts = <Answer>(write: () => Promise<Answer>): Promise<Answer> =>
  retryPausing(write, (error) => error instanceof Error && error.name === 'TransactionConflictException');
