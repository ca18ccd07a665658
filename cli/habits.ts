/** Command names of other tools, and the commands that they have here. */

/** By the word, which is not a command here. */
const habits: Readonly<Record<string, string>> = {
  status: '`kubeloom get` lists manifests with their status, `kubeloom describe NAME` shows one',
  list: '`kubeloom get` lists manifests',
  ls: '`kubeloom get` lists manifests',
  show: '`kubeloom describe NAME` shows a manifest',
  edit: '`kubeloom get NAME -o yaml > FILE`, change the file, `kubeloom apply -f FILE`',
  create: '`kubeloom apply -f FILE` creates and changes manifests',
  destroy: '`kubeloom delete NAME` deletes a manifest with everything that it created',
  top: '`kubeloom get nodes` lists machines; `kubectl top` of the cluster shows what they use',
};

/** Commands that read documents from `-f`. */
const readers = ['apply', 'validate', 'plan', 'diff'];

/** A hint for arguments that the command line refuses; undefined when no hint fits. */
export function habitHint(words: readonly string[]): string | undefined {
  const [command = '', ...rest] = words.filter((word) => !word.startsWith('-'));
  const habit = Object.hasOwn(habits, command) ? habits[command] : undefined;
  if (habit !== undefined) return habit;
  const file = rest.find((word) => /(\.(ya?ml|json)|\/)$/.test(word));
  const isFlagged = words.some((word) => /^(-f|--file)/.test(word));
  return readers.includes(command) && file !== undefined && !isFlagged
    ? `did you mean \`kubeloom ${command} -f ${file}\`?`
    : undefined;
}
