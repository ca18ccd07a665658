/** What runner-images/Dockerfile says: stages, their instructions and arguments. */

export interface DockerStage {
  readonly name: string;
  /** Image or stage that it is made from, with arguments replaced. */
  readonly from: string;
  readonly steps: readonly string[];
}

export interface Dockerfile {
  readonly stages: readonly DockerStage[];
  argument(name: string): string;
}

/** Throws for an argument that has no default. */
export function readDockerfile(text: string): Dockerfile {
  const instructions = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/ *\\\n */g, ' ')
    .split('\n')
    .filter(Boolean);
  const argument = (name: string): string => {
    const found = instructions.map((line) => new RegExp(`^ARG ${name}="?([^"]+)"?$`).exec(line)?.[1]).find(Boolean);
    if (found === undefined) throw new Error(`the Dockerfile has no ARG ${name} with a default`);
    return found;
  };
  const stages: { name: string; from: string; steps: string[] }[] = [];
  for (const line of instructions) {
    const [, from, name] = /^FROM (?:--platform=\S+ )?(\S+) AS (\S+)$/.exec(line) ?? [];
    if (from !== undefined && name !== undefined)
      stages.push({ name, from: from.replace(/^\$\{(\w+)\}$/, (_, image: string) => argument(image)), steps: [] });
    else stages.at(-1)?.steps.push(line);
  }
  return { stages, argument };
}

/** A stage and what it is made from, the outermost image last. Throws for a stage that is not there. */
export function chainOf({ stages }: Dockerfile, name: string): readonly DockerStage[] {
  const stage = stages.find((one) => one.name === name);
  if (stage === undefined) throw new Error(`the Dockerfile has no stage ${name}`);
  return [
    stage,
    ...(stages.some((one) => one.name === stage.from) ? chainOf({ stages, argument: String }, stage.from) : []),
  ];
}
