/**
 * What Flux and Argo CD make of an object: the real kstatus (a Go module, built once by its version and kept next to the parts of
 * Kubernetes), and the health check of docs/operator.md in a Lua that is Argo's.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { partsDirectory } from '#local/kubernetes/available.ts';
import { repository } from './operator-world.ts';

const modules = {
  'sigs.k8s.io/cli-utils': 'v0.37.2',
  'k8s.io/apimachinery': 'v0.30.1',
  'github.com/yuin/gopher-lua': 'v1.1.1',
} as const;

/** Reads an object as JSON; prints what kstatus says, and what a health check of Argo (a file) says. */
const program = `package main

import (
	"encoding/json"
	"fmt"
	"os"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

func main() {
	var object unstructured.Unstructured
	script, err := os.ReadFile(os.Args[1])
	check(err)
	check(json.NewDecoder(os.Stdin).Decode(&object))
	result, err := status.Compute(&object)
	check(err)
	state := lua.NewState()
	defer state.Close()
	state.SetGlobal("obj", valueOf(state, object.Object))
	check(state.DoString(string(script)))
	health := state.Get(-1).(*lua.LTable)
	answer := map[string]string{
		"kstatus":        string(result.Status),
		"kstatusMessage": result.Message,
		"argo":           health.RawGetString("status").String(),
		"argoMessage":    health.RawGetString("message").String(),
	}
	check(json.NewEncoder(os.Stdout).Encode(answer))
}

func valueOf(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case map[string]any:
		table := state.NewTable()
		for key, one := range value {
			table.RawSetString(key, valueOf(state, one))
		}
		return table
	case []any:
		table := state.NewTable()
		for _, one := range value {
			table.Append(valueOf(state, one))
		}
		return table
	case string:
		return lua.LString(value)
	case bool:
		return lua.LBool(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	}
	return lua.LNil
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`;

export interface Health {
  readonly kstatus: 'InProgress' | 'Failed' | 'Current' | 'Terminating' | 'NotFound' | 'Unknown';
  readonly kstatusMessage: string;
  readonly argo: 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended';
  readonly argoMessage: string;
}

/** Throws the words of Go when a module cannot be had. */
export function healthProgram(): (object: unknown) => Promise<Health> {
  const folder = join(partsDirectory(), 'kstatus', Object.values(modules).join('-'));
  const built = join(folder, 'health');
  if (!existsSync(built)) build(folder, built);
  const check = join(folder, 'argo.lua');
  writeFileSync(check, argoHealthCheck());
  return (object) =>
    new Promise((resolve, reject) => {
      const child = execFile(built, [check], (error, stdout, stderr) => {
        if (error) reject(new Error(`kstatus: ${stderr}`));
        else resolve(JSON.parse(stdout) as Health);
      });
      child.stdin?.end(JSON.stringify(object));
    });
}

function build(folder: string, target: string): void {
  mkdirSync(folder, { recursive: true });
  const required = Object.entries(modules).map((one) => `require ${one.join(' ')}\n`);
  writeFileSync(join(folder, 'go.mod'), `module kubeloom.local/health\n\ngo 1.24.0\n\n${required.join('')}`);
  writeFileSync(join(folder, 'main.go'), program);
  const go = (...args: readonly string[]) =>
    execFileSync('go', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  go('mod', 'tidy');
  go('build', '-trimpath', '-o', `${target}.new`, '.');
  renameSync(`${target}.new`, target);
}

/** The Lua of docs/operator.md, as it is put into `argocd-cm`. */
function argoHealthCheck(): string {
  const document = readFileSync(join(repository, 'docs/operator.md'), 'utf8');
  const [, block] =
    /resource\.customizations\.health\.kubeloom\.dev_InputManifest: \|\n((?: {2}.*\n)+)/.exec(document) ?? [];
  if (block === undefined) throw new Error('docs/operator.md has no health check');
  return block.replaceAll(/^ {2}/gm, '');
}
