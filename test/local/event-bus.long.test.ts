/** New events of the table reach the function that reads its stream, repeatedly until it accepts them; the bus refuses what EventBridge refuses. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EventBridgeBus } from '#adapters/eventbridge-bus.ts';
import type { StoredFeedEvent } from '#functions/ports.ts';
import { startPlatform } from '#local/platform.ts';
import { temporaryDirectory } from './clients.ts';
import { tinyProduct } from './tiny-product.ts';

const happened = (id: string, change: Partial<StoredFeedEvent['event']> = {}): StoredFeedEvent => ({
  id,
  manifest: { namespace: 'team', name: 'shop' },
  event: {
    at: '2026-11-20T12:00:00.000Z',
    runId: 'r',
    level: 'info',
    kind: 'RunStarted',
    message: 'it starts',
    ...change,
  },
});

async function platformWith(stream: (event: unknown) => unknown) {
  const directory = await temporaryDirectory();
  const tiny = await tinyProduct(directory, 'true');
  const functions = async () => ({ ...(await tiny.functions()), 'take-events': stream });
  const product = { ...tiny, stream: 'take-events', functions };
  const platform = await startPlatform({ dataDir: directory, apiPort: 0, runner: 'sim', product });
  onTestFinished(() => platform.stop());
  const environment = { ...process.env };
  const put = (item: Readonly<Record<string, string>>) => {
    const Item = Object.fromEntries(Object.entries(item).map(([name, S]) => [name, { S }]));
    return new DynamoDBClient({}).send(new PutItemCommand({ TableName: 'kubeloom', Item }));
  };
  return { directory, environment, put };
}

describe('the stream of the table', () => {
  it('the stream gives new events to its function in their order, again after a failure, and nothing else', async () => {
    const taken: string[] = [];
    let failures = 1;
    const { put } = await platformWith((batch) => {
      if (failures-- > 0) throw new Error('not yet');
      const { Records } = batch as {
        Records: { eventName: string; dynamodb: { NewImage: Record<string, { S: string }> } }[];
      };
      for (const { dynamodb } of Records) taken.push(dynamodb.NewImage.sk?.S ?? '');
    });
    await put({ pk: 'MANIFESTS', sk: 'team#shop' });
    for (const sk of ['1', '2']) await put({ pk: 'EVENTS#team#shop', sk });
    await put({ pk: 'EVENTS#team#shop', sk: '1' });
    await put({ pk: 'EVENTS#team#shop', sk: '3' });
    while (!taken.includes('3')) await pause(20);
    expect(taken).toEqual(['1', '2', '3']);
  });
});

describe('the bus', () => {
  it('the bus file has a line for each event as a rule would deliver it, also of more than one request takes', async () => {
    const { directory, environment } = await platformWith(() => {});
    const events = Array.from({ length: 23 }, (_, n) => happened(`${n}.0`));
    await new EventBridgeBus('kubeloom', environment).publish(events);
    const lines = (await readFile(join(directory, 'events.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { detail: { id: string } }).detail.id)).toEqual(
      events.map(({ id }) => id),
    );
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      source: 'kubeloom',
      'detail-type': 'RunStarted',
      time: '2026-11-20T12:00:00Z',
      detail: { namespace: 'team', manifest: 'shop', message: 'it starts', id: '0.0' },
    });
  });

  it('the bus refuses another name, a missing kind, and requests that are not signed for this platform, and the function reports the refusal', async () => {
    const { environment } = await platformWith(() => {});
    const publish = (name: string, event: StoredFeedEvent, change: Readonly<Record<string, string>> = {}) =>
      new EventBridgeBus(name, { ...environment, ...change }).publish([event]);
    const refused = { name: 'ServiceUnavailable' };
    await expect(publish('another', happened('1.0'))).rejects.toMatchObject(refused);
    await expect(publish('kubeloom', happened('1.0', { kind: '' }))).rejects.toThrow(
      /DetailType is a required argument/,
    );
    await expect(publish('kubeloom', happened('1.0'), { AWS_ACCESS_KEY_ID: 'other' })).rejects.toMatchObject(refused);
    await publish('', happened('1.0'));
  });
});
