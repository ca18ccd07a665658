/** DynamoDB refuses a write of an item at the moment of a transaction with it: it is sent again, for about a second. */
const pausesMs = [20, 40, 80, 160, 320, 640];

/** `write` sends one request. Throws what it throws at last. */
export async function afterConflicts<Answer>(write: () => Promise<Answer>): Promise<Answer> {
  for (const pauseMs of pausesMs) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TransactionConflictException')) throw error;
    }
    // Of two that met, one should come first.
    const waitMs = pauseMs * (0.5 + Math.random());
    await new Promise((done) => setTimeout(done, waitMs));
  }
  return write();
}
