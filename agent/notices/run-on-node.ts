/** The process on a node of a cloud: it ends when it has said something, and its container starts again. */
import { isNoticeCloud, sayNotices } from './say-notices.ts';

/** A metadata service is on the machine's own host: to ask it each second costs nothing. */
const everyMs = 1000;
const unknownMs = 30_000;

/**
 * KUBELOOM_NOTICES_CLOUD, KUBELOOM_METADATA_URL: the type of the provider, and where its metadata service is.
 * KUBELOOM_NOTICES_DIRECTORY, KUBELOOM_LAST_WORDS: a directory of the pod, and the termination message of the container.
 * Returns the exit code.
 */
export async function runOnNode(environment: Readonly<Record<string, string | undefined>>): Promise<number> {
  const { KUBELOOM_NOTICES_CLOUD: cloud = '', KUBELOOM_METADATA_URL: base } = environment;
  const { KUBELOOM_NOTICES_DIRECTORY: directory, KUBELOOM_LAST_WORDS: lastWords } = environment;
  if (!(isNoticeCloud(cloud) && base && directory && lastWords)) {
    process.stderr.write(
      'notices: KUBELOOM_NOTICES_CLOUD, _METADATA_URL, _NOTICES_DIRECTORY and _LAST_WORDS must be set\n',
    );
    return 2;
  }
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort());
  const say = (line: string): void => void process.stdout.write(`notices: ${line}\n`);
  const said = await sayNotices({ cloud, base, directory, lastWords, everyMs, unknownMs, signal: stop.signal, say });
  if (said) say(`the notice of this machine is now: ${said.kind}`);
  return 0;
}
