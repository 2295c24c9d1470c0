/** What a model is given to read before it uses the tools. */
export const instructions = `Caisson runs commands in sandboxes. Work in one task per piece of work: choose a short name, such as "build", and use it in every call. Its sandbox is made by the first command and keeps its files.

Commands: run_command takes shell text. Any exit code is a result; isError means that nothing ran. A call answers within 45 seconds. When reason is "running", the command goes on: call read_output with its exec_id and after = next until reason is another. Start servers and long jobs with background: true, and end them with stop_process. To keep the directory and variables between commands, name a session.

Results are JSON. Output: stdout and stderr are shortened in the middle when they are long (truncated); read_output, or the linked resource, has all of it.

Files: read_file before edit_file or write_file, and pass its hash as if_hash, so that changes of others are not lost.

Approvals: a result with code "approval_required" ran nothing. Give its approval_id and command to the user, who approves it outside of this conversation, and then repeat the call with exactly the same arguments. "policy_denied" is final: do not try the same in another form.

Results say where a command ran and which controls that were asked for are not enforced there (degraded); inspect_sandbox lists all of them. Secrets in output are replaced.`;
