/**
 * Races: many clients write the same manifest at the same moment. `node bench/run.ts racers`; RACERS (100) and
 * RACE_ROUNDS (5) change it. Of each race the answers are counted, and afterwards everything acknowledged has to be there:
 * - create: everyone PUTs with `If-None-Match: *`; one may win.
 * - change: everyone PUTs another document with the `If-Match` of one version; one may win.
 * - same: everyone PUTs the same new document without a condition; it is stored once, to the others it is unchanged.
 * - any: everyone PUTs another document without a condition; each 202 is a generation of its own, 409 says to try again.
 */
import type { CliClient } from '#cli/connection/api-client.ts';
import type { PlatformFile } from '#local/data-directory.ts';
import { smallManifest, untilDone } from './manifests.ts';
import { countEach, percentiles, setting } from './numbers.ts';
import { onPlatform } from './platform-process.ts';

interface Answer {
  readonly status: number;
  readonly generation: number | undefined;
  readonly ms: number;
}

type Put = (headers: Readonly<Record<string, string>>, mark: string) => Promise<Answer>;

export const measureRacers = () =>
  onPlatform(async ({ platform, api }) => {
    const racers = setting('RACERS', 100);
    const rounds = setting('RACE_ROUNDS', 5);
    const results: Answer[] = [];
    const wrong: string[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const name = `race-${round}`;
      const put = putTo(platform, name);
      const race = async (headers: Readonly<Record<string, string>>, markOf: (racer: number) => string) => {
        const all = Array.from({ length: racers }, (_, racer) => put(headers, markOf(racer)));
        const answers = await Promise.all(all);
        results.push(...answers);
        return answers;
      };
      const currentGeneration = async () => (await api.getManifest({ namespace: 'default', name })).generation;
      const expectOne = (what: string, answers: readonly Answer[], others: number) => {
        const won = answers.filter(({ status }) => status === 202).length;
        const refused = answers.filter(({ status }) => status === others).length;
        if (won !== 1 || refused !== racers - 1)
          wrong.push(`${name} ${what}: ${won} won, ${refused} answered ${others}`);
      };

      expectOne('create', await race({ 'if-none-match': '*' }, (racer) => `create-${racer}`), 412);
      const tag = await tagOf(platform, name);
      expectOne('change', await race({ 'if-match': tag }, (racer) => `change-${racer}`), 412);
      expectOne('same', await race({}, () => 'same'), 200);
      const generation = await currentGeneration();
      const won = (await race({}, (racer) => `any-${racer}`)).filter(({ status }) => status === 202);
      const given = new Set(won.map((answer) => answer.generation));
      if (given.size !== won.length) wrong.push(`${name} any: ${won.length} answers share ${given.size} generations`);
      const after = await currentGeneration();
      if (after !== generation + won.length)
        wrong.push(`${name} any: generation ${after}, ${won.length} were accepted`);
      await untilDone(api, name, 200);
    }
    return {
      what: `${racers} clients write one manifest at once, ${rounds} rounds of 4 races`,
      aim: { wrong: 0, serverFaults: 0 },
      wrong: wrong.length,
      samples: wrong.slice(0, 10),
      statuses: countEach(results.map(({ status }) => status)),
      serverFaults: results.filter(({ status }) => status >= 500).length,
      answerMs: percentiles(results.map(({ ms }) => ms)),
      ended: countEach(await statuses(api, rounds)),
    };
  });

function putTo({ apiUrl, token }: PlatformFile, name: string): Put {
  return async (headers, mark) => {
    const manifest = smallManifest(name, 'sim');
    const asked = performance.now();
    const response = await fetch(`${apiUrl}/v1/manifests/default/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...manifest, metadata: { ...manifest.metadata, labels: { mark } } }),
    });
    const body = (await response.json()) as { readonly generation?: number };
    return { status: response.status, generation: body.generation, ms: performance.now() - asked };
  };
}

async function tagOf({ apiUrl, token }: PlatformFile, name: string): Promise<string> {
  const response = await fetch(`${apiUrl}/v1/manifests/default/${name}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return response.headers.get('etag') ?? '';
}

async function statuses(api: CliClient, rounds: number): Promise<readonly string[]> {
  const names = Array.from({ length: rounds }, (_, index) => `race-${index + 1}`);
  return Promise.all(names.map(async (name) => (await api.getManifest({ namespace: 'default', name })).status));
}
