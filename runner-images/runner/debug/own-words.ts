/**
 * What a tool says without `--debug`, out of what it says with it: causes are read from that, so they are the same in both. What is left out is in
 * the log all the same. Pure.
 */

type Filter = (text: string) => string;

/** Address of a machine as KubeOne knows it. Phases of kubeadm in brackets (`[upgrade/version]`) have neither a dot nor two colons. */
const prefix = /^\[(?:[\w-]{1,63}(?:\.[\w-]{1,63}){1,10}|[\da-f]{0,4}(?::[\da-f.]{0,15}){2,8})\] /i;
/** A machine's last line may have no end: the last words of KubeOne then follow in the same line. */
const lastWordsAfter = /Error: (?=\[?(?:runtime|ssh|exec|etcd|kubernetes): |configuration |connection to: )/;
const debugLog = /^time="[^"]{0,100}" level=(?:debug|trace) /;

/** `running task on` names the machine; with `--verbose` the words of its script are not repeated after that. */
const failedTask = /(?=runtime: running task on ")/;
const failedOn = /^runtime: running task on "([\w.:-]{1,253})"/;
const exit = /Process exited with status \d{1,3}|wait: remote command exited[^\n]{0,200}/;
const levelOf = /^time="[^"]{0,100}" level=(\w{1,10}) /;
const nodeOf = / node="?([\w.:-]{1,253})"?(?: os=\w{1,20})?$/;
/** What a script prints before it fails may be long; causes are at its end. */
const mostWords = 400;

/**
 * Without what the scripts print on machines, which KubeOne repeats with the address in front, and without its own lines for debugging. What a
 * script printed that failed is put where KubeOne itself prints it without `--verbose`: after the exit code, as `stderr: `.
 */
export const ownWordsOfKubeOne: Filter = (text) => {
  const printed = new Map<string, string[]>();
  const lastWords = new Map<string, readonly string[]>();
  const own = text.split('\n').flatMap((line) => {
    const address = prefix.exec(line)?.[0].slice(1, -2);
    if (address === undefined) {
      const level = levelOf.exec(line)?.[1];
      const node = nodeOf.exec(line)?.[1];
      if (level === 'error' && node !== undefined) lastWords.set(node, printed.get(node) ?? []);
      // Another task, or another try, begins.
      if (level === 'info' || level === 'error')
        for (const one of node ? [node] : [...printed.keys()]) printed.delete(one);
      return debugLog.test(line) ? [] : [line];
    }
    const at = line.search(lastWordsAfter);
    const words = line.slice(address.length + 3, at < 0 ? undefined : at);
    printed.set(address, [...(printed.get(address) ?? []), words].slice(-mostWords));
    return at < 0 ? [] : [line.slice(at)];
  });
  const first = own.findIndex((line) => line.startsWith('Error: '));
  if (first < 0) return own.join('\n');
  const failure = own
    .slice(first)
    .join('\n')
    .split(failedTask)
    .map((part) =>
      withWords(part, (node) => [printed.get(node), lastWords.get(node)].find((one) => one?.length) ?? []),
    );
  return [...own.slice(0, first), failure.join('')].join('\n');
};

function withWords(part: string, wordsOf: (node: string) => readonly string[]): string {
  const node = failedOn.exec(part)?.[1];
  const words = node === undefined || /^stderr: /m.test(part) ? [] : wordsOf(node);
  return words.length === 0 ? part : part.replace(exit, (code) => `${code}\nstderr: ${words.join('\n')}\n`);
}

const klog = /^I\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.-]+:\d+\] /;
/** `server response object: [{`, and as older releases print it. */
const opensAnswer = /: (?:%s)?\[\{$/;

/** Without the lines that only `-v` prints, and the answer of the API server that one of them repeats. Errors and warnings stay. */
export const ownWordsOfKubectl: Filter = (text) => {
  let inAnswer = false;
  return text
    .split('\n')
    .filter((line) => {
      const isPart = inAnswer;
      const isLog = klog.test(line);
      inAnswer = (inAnswer && line !== '}]') || (isLog && opensAnswer.test(line));
      return !isPart && !isLog;
    })
    .join('\n');
};

/** With `-vvv` a fault of Ansible itself ends with the trace of Python, in place of the advice to use `-vvv`. */
const trace = /^(?:ERROR! )?the full traceback was:$/i;

/** Without what `-vvv` says about connections, and without a trace. */
export const ownWordsOfAnsible: Filter = (text) => {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => trace.test(line));
  return (end < 0 ? lines : lines.slice(0, end)).filter((line) => !/^<[^<>\s]{1,253}> /.test(line)).join('\n');
};
