/** Log lines in the form of KubeOne's (logrus without a terminal), so that one parser reads both. */

export class Log {
  readonly #json: boolean;

  constructor(json: boolean) {
    this.#json = json;
  }

  /** `node`: the public address of the host it is about, as KubeOne gives it. */
  info(message: string, node?: string): void {
    this.#write('info', message, node);
  }

  warning(message: string, node?: string): void {
    this.#write('warning', message, node);
  }

  error(message: string, node?: string): void {
    this.#write('error', message, node);
  }

  /** The answer of a command, on stdout. */
  print(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  #write(level: string, message: string, node: string | undefined): void {
    const time = `${new Date().toISOString().slice(11, 19)} UTC`;
    const line = this.#json
      ? JSON.stringify({ level, msg: message, node, time })
      : `time="${time}" level=${level} msg=${JSON.stringify(message)}${node === undefined ? '' : ` node=${node}`}`;
    process.stderr.write(`${line}\n`);
  }
}
