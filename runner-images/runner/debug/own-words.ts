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

/** Without what the scripts print on machines, which KubeOne repeats with the address in front, and without its own lines for debugging. */
export const ownWordsOfKubeOne: Filter = (text) =>
  text
    .split('\n')
    .flatMap((line) => {
      if (debugLog.test(line)) return [];
      if (!prefix.test(line)) return [line];
      const at = line.search(lastWordsAfter);
      return at < 0 ? [] : [line.slice(at)];
    })
    .join('\n');

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
