/** Writes that meet a transaction: DynamoDB refuses one of both, which is sent again. */
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DynamoTable } from '#adapters/dynamo-table.ts';
import { asPipelineError } from '#functions/failures.ts';

const about = { $metadata: {}, message: 'refused' };
const conflict = new TransactionConflictException(about);
const cancelled = (...codes: readonly string[]) =>
  new TransactionCanceledException({ ...about, CancellationReasons: codes.map((Code) => ({ Code })) });
const key = { pk: 'MANIFESTS', sk: 'team#shop' };
const always = { expression: 'attribute_exists(#pk)' };
const change = { expression: 'SET #fence = :one', values: { ':one': 1 } };

function world() {
  // No one waits: a pause is over when it begins.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const clock = setInterval(() => vi.runOnlyPendingTimers(), 1);
  const dynamo = mockClient(DynamoDBDocumentClient);
  onTestFinished(() => {
    clearInterval(clock);
    dynamo.restore();
    vi.useRealTimers();
  });
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }));
  return { dynamo, table: new DynamoTable(client, 'table') };
}

it('an update that meets a transaction is sent again', async () => {
  const { dynamo, table } = world();
  dynamo
    .on(UpdateCommand)
    .rejectsOnce(conflict)
    .rejectsOnce(conflict)
    .resolves({ Attributes: { ...key, fence: 1 } });
  expect(await table.update(key, change, always)).toMatchObject({ fence: 1 });
  expect(dynamo.commandCalls(UpdateCommand)).toHaveLength(3);
});

it('a transaction that meets another is sent again, and its condition is answered', async () => {
  const { dynamo, table } = world();
  dynamo
    .on(TransactWriteCommand)
    .rejectsOnce(cancelled('None', 'TransactionConflict'))
    .rejectsOnce(cancelled('ConditionalCheckFailed', 'TransactionConflict'))
    .resolves({});
  expect(await table.writeTogether([{ remove: key, condition: always }])).toBe(false);
  expect(await table.writeTogether([{ remove: key, condition: always }])).toBe(true);
  expect(dynamo.commandCalls(TransactWriteCommand)).toHaveLength(3);
});

it('a condition that does not hold is no conflict', async () => {
  const { dynamo, table } = world();
  dynamo.on(UpdateCommand).rejects(new ConditionalCheckFailedException(about));
  expect(await table.update(key, change, always)).toBeUndefined();
  expect(dynamo.commandCalls(UpdateCommand)).toHaveLength(1);
});

it('conflicts without end are a service that does not answer, which callers repeat', async () => {
  const { dynamo, table } = world();
  dynamo.on(UpdateCommand).rejects(conflict);
  const error = await table.update(key, change, always).catch((thrown: unknown) => thrown);
  expect(error).toBe(conflict);
  expect(dynamo.commandCalls(UpdateCommand)).toHaveLength(7);
  expect(asPipelineError(error).name).toBe('ServiceUnavailable');
});

it('transactions that conflict without end are a service that does not answer, too', async () => {
  const { dynamo, table } = world();
  dynamo.on(TransactWriteCommand).rejects(cancelled('TransactionConflict', 'None'));
  const error = await table.writeTogether([{ remove: key }]).catch((thrown: unknown) => thrown);
  expect(asPipelineError(error).name).toBe('ServiceUnavailable');
  expect(dynamo.commandCalls(TransactWriteCommand)).toHaveLength(7);
});

it('a transaction that is refused for any other reason fails', async () => {
  const { dynamo, table } = world();
  const refused = cancelled('ValidationError');
  dynamo.on(TransactWriteCommand).rejects(refused);
  await expect(table.writeTogether([{ remove: key }])).rejects.toBe(refused);
  expect(dynamo.commandCalls(TransactWriteCommand)).toHaveLength(1);
});
