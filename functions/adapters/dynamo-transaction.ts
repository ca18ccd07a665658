/** Transactions of DynamoDB, apart from its other requests: most functions never make one, and do not load what that takes. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';

/** Makes all writes or none. Returns false when the condition of one does not hold, and throws `TransactionConflictException` when it met another write. */
export async function transact(
  client: DynamoDBDocumentClient,
  TransactItems: TransactWriteCommandInput['TransactItems'],
): Promise<boolean> {
  try {
    await client.send(new TransactWriteCommand({ TransactItems }));
    return true;
  } catch (error) {
    const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
    const codes = reasons.map(({ Code }) => Code);
    // A condition that does not hold is an answer, whatever else was in the way.
    if (codes.includes('ConditionalCheckFailed')) return false;
    throw codes.includes('TransactionConflict') ? asConflict(error) : error;
  }
}

/** By the name that a single write is refused with. */
const asConflict = (cause: unknown): Error =>
  Object.assign(new Error('another write of one of the items was in progress', { cause }), {
    name: 'TransactionConflictException',
  });
