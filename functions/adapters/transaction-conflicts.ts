/** DynamoDB refuses a write of an item at the moment of a transaction with it: it is sent again, for about a second. */
import { pauseAbout, pausesMs } from '../pauses.ts';

/** `write` sends one request. Throws what it throws at last. */
export async function afterConflicts<Answer>(write: () => Promise<Answer>): Promise<Answer> {
  for (const pauseMs of pausesMs) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TransactionConflictException')) throw error;
    }
    await pauseAbout(pauseMs);
  }
  return write();
}
