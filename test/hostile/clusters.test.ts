/** A cluster that lies to every question: what a reader returns, or throws, can be shown to people and given to a tool. */
import { describe, expect, it } from 'vitest';
import { StageFailure } from '#runner/stage-failure.ts';
import { clusterQuestions } from './answers-of-clusters.ts';
import { brokenJson, liesAbout, obeyedInJson, obeyedRaw } from './lies.ts';
import { silentCanary } from './silent-canary.ts';

const canary = silentCanary();

/** What came out, as text, without what is only shown; a failure is of the cluster and says what is wrong. */
async function outcome(read: () => Promise<unknown>, shown: readonly string[] = []): Promise<string> {
  try {
    const found = await read();
    expect(JSON.stringify(found) ?? '').not.toMatch(obeyedInJson);
    return JSON.stringify(found, (key, value) => (shown.includes(key) ? undefined : value)) ?? '';
  } catch (error) {
    if (!(error instanceof StageFailure)) throw error;
    const { class: kind, code, message } = error.error;
    expect(kind).not.toBe('bug');
    expect(code).toMatch(/^[A-Z]\w+$/);
    expect(message.length).toBeLessThan(2001);
    expect(message).not.toMatch(obeyedRaw);
    return '';
  }
}

describe.each(clusterQuestions)('$name', ({ answer, read, shown }) => {
  it('an honest answer is read', async () => {
    await expect(read(JSON.stringify(answer)).catch((error: StageFailure) => error.error.code)).resolves.not.toBe(
      'ToolAnswerUnreadable',
    );
  });

  it('no text that a shell, a template engine, a terminal or kubectl would obey comes through', async () => {
    for (const { title, value, text } of liesAbout(answer, canary.file)) {
      const came = await outcome(() => read(JSON.stringify(value)), shown);
      if (text !== undefined) expect(came.includes(inJson(text)), `${title}: ${came.slice(0, 300)}`).toBe(false);
    }
  });

  it.each(Object.keys(brokenJson))('%s is a failure of the cluster, or nothing', async (kind) => {
    await outcome(() => read(brokenJson[kind] ?? ''));
  });
});

/** A text as JSON has it. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
