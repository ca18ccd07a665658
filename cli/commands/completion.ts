/** `kubeloom completion bash|zsh|fish`: a script for the shell, so that Tab completes our command lines. */
import { Argument, type Command } from 'commander';

/** Each asks the program for the words that may follow, so that a script never becomes outdated. */
const scripts = {
  bash: `_kubeloom() {
  local IFS=$'\\n'
  COMPREPLY=($(kubeloom __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _kubeloom kubeloom
`,
  zsh: `#compdef kubeloom
_kubeloom() {
  local -a found
  found=(\${(f)"$(kubeloom __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
compdef _kubeloom kubeloom
`,
  fish: `function __kubeloom_complete
  set -l words (commandline -opc) (commandline -ct | string collect --allow-empty)
  kubeloom __complete $words[2..-1] 2>/dev/null
end
complete -c kubeloom -a '(__kubeloom_complete)'
`,
} as const;

export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description('print the completion script of a shell; it also completes names of manifests and clusters')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .action((shell: keyof typeof scripts) => {
      process.stdout.write(scripts[shell]);
    });
}
