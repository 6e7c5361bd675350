/**
 * etcdctl's commands and flags, with their texts: interface, which outside evidence compares.
 *
 * The order of the root's commands is that in which they are guessed.
 */
import { command, type CommandSpec, family } from "./cobra/command.ts";
import { flag } from "./cobra/flags.ts";

const TIMEOUTS = [
  flag("duration", "dial-timeout", "dial timeout for client connections", "2s"),
  flag("duration", "command-timeout", "timeout for short running command (excluding dial timeout)", "5s"),
  flag("duration", "keepalive-time", "keepalive time for client connections", "2s"),
  flag("duration", "keepalive-timeout", "keepalive timeout for client connections", "6s"),
];

const GLOBAL = [
  flag("stringSlice", "endpoints", "gRPC endpoints", "[127.0.0.1:2379]"),
  flag("bool", "debug", "enable client-side debug logging"),
  flag("string", "write-out", "set the output format (fields, json, protobuf, simple, table)", "simple", "w"),
  flag("bool", "hex", "print byte strings as hex encoded strings"),
  ...TIMEOUTS,
  flag("bool", "insecure-transport", "disable transport security for client connections", "true"),
  flag("bool", "insecure-discovery", "accept insecure SRV records describing cluster endpoints", "true"),
  flag(
    "bool",
    "insecure-skip-tls-verify",
    "skip server certificate verification (CAUTION: this option should be enabled only for testing purposes)",
  ),
  flag("string", "cert", "identify secure client using this TLS certificate file"),
  flag("string", "key", "identify secure client using this TLS key file"),
  flag("string", "cacert", "verify certificates of TLS-enabled secure servers using this CA bundle"),
  flag("string", "user", "username[:password] for authentication (prompt if password is not supplied)"),
  flag(
    "string",
    "password",
    "password for authentication (if this option is used, --user option shouldn't include password)",
  ),
  flag("string", "discovery-srv", "domain name to query for SRV records describing cluster endpoints", "", "d"),
  flag("string", "discovery-srv-name", "service name to query when using DNS discovery"),
];

/** It begins with an empty line, which the tool's own usage does not show. */
const PUT_LONG = `
Puts the given key into the store.

When <value> begins with '-', <value> is interpreted as a flag.
Insert '--' for workaround:

$ put <key> -- <value>
$ put -- <key> <value>

If <value> isn't given as a command line argument and '--ignore-value' is not specified,
this command tries to read the value from standard input.

If <lease> isn't given as a command line argument and '--ignore-lease' is not specified,
this command tries to read the value from standard input.

For example,
$ cat file | put <key>
will store the content of the file to <key>.`;

export const PUT = command(
  "put [options] <key> <value> (<value> can also be given from stdin)",
  "Puts the given key into the store",
  [
    flag("string", "lease", "lease ID (in hexadecimal) to attach to the key", "0"),
    flag("bool", "prev-kv", "return the previous key-value pair before modification"),
    flag("bool", "ignore-value", "updates the key using its current value"),
    flag("bool", "ignore-lease", "updates the key using its current lease"),
  ],
  { long: PUT_LONG },
);

export const GET = command("get [options] <key> [range_end]", "Gets the key or a range of keys", [
  flag("string", "consistency", "Linearizable(l) or Serializable(s)", "l"),
  flag("string", "order", "Order of results; ASCEND or DESCEND (ASCEND by default)"),
  flag("string", "sort-by", "Sort target; CREATE, KEY, MODIFY, VALUE, or VERSION"),
  flag("int64", "limit", "Maximum number of results"),
  flag("bool", "prefix", "Get keys with matching prefix"),
  flag("bool", "from-key", "Get keys that are greater than or equal to the given key using byte compare"),
  flag("int64", "rev", "Specify the kv revision"),
  flag("bool", "keys-only", "Get only the keys"),
  flag("bool", "print-value-only", 'Only write values when using the "simple" output format'),
]);

export const DEL = command(
  "del [options] <key> [range_end]",
  "Removes the specified key or range of keys [key, range_end)",
  [
    flag("bool", "prefix", "delete keys with matching prefix"),
    flag("bool", "prev-kv", "return deleted key-value pairs"),
    flag("bool", "from-key", "delete keys that are greater than or equal to the given key using byte compare"),
  ],
);

export const WATCH = command(
  "watch [options] [key or prefix] [range_end] [--] [exec-command arg1 arg2 ...]",
  "Watches events stream on keys or prefixes",
  [
    flag("bool", "interactive", "Interactive mode", "", "i"),
    flag("bool", "prefix", "Watch on a prefix if prefix is set"),
    flag("int64", "rev", "Revision to start watching"),
    flag("bool", "prev-kv", "get the previous key-value pair before the event happens"),
  ],
);

const TXN = command("txn [options]", "Txn processes all the requests in one transaction", [
  flag("bool", "interactive", "Input transaction in interactive mode", "", "i"),
]);

const COMPACTION = command("compaction [options] <revision>", "Compacts the event history in etcd", [
  flag("bool", "physical", "'true' to wait for compaction to physically remove all old revisions"),
]);

const ALARM = family("alarm <subcommand>", "Alarm related commands", [
  command("disarm", "Disarms all alarms"),
  command("list", "Lists all alarms"),
]);

const ALL_MEMBERS = flag("bool", "cluster", "use all endpoints from the cluster member list");

const DEFRAG = command("defrag", "Defragments the storage of the etcd members with given endpoints", [
  ALL_MEMBERS,
  flag("string", "data-dir", "Optional. If present, defragments a data directory not in use by etcd."),
]);

const ENDPOINT = family(
  "endpoint <subcommand>",
  "Endpoint related commands",
  [
    command("health", "Checks the healthiness of endpoints specified in `--endpoints` flag"),
    command("status", "Prints out the status of endpoints specified in `--endpoints` flag", [], {
      long: `When --write-out is set to simple, this command prints out comma-separated status lists for each endpoint.
The items in the lists are endpoint, ID, version, db size, is leader, is learner, raft term, raft index, raft applied index, errors.`,
    }),
    command("hashkv", "Prints the KV history hash for each endpoint in --endpoints", [
      flag("int64", "rev", "maximum revision to hash (default: all revisions)"),
    ]),
  ],
  { persistent: [ALL_MEMBERS] },
);

const LEASE = family("lease <subcommand>", "Lease related commands", [
  command("grant <ttl>", "Creates leases"),
  command("revoke <leaseID>", "Revokes leases"),
  command("timetolive <leaseID> [options]", "Get lease information", [
    flag("bool", "keys", "Get keys attached to this lease"),
  ]),
  command("list", "List all active leases"),
  command("keep-alive [options] <leaseID>", "Keeps leases alive (renew)", [
    flag("bool", "once", "Resets the keep-alive time to its original value and exits immediately"),
  ]),
]);

const MEMBER = family("member <subcommand>", "Membership related commands", [
  command("add <memberName> [options]", "Adds a member into the cluster", [
    flag("string", "peer-urls", "comma separated peer URLs for the new member."),
    flag("bool", "learner", "indicates if the new member is raft learner"),
  ]),
  command("remove <memberID>", "Removes a member from the cluster"),
  command("update <memberID> [options]", "Updates a member in the cluster", [
    flag("string", "peer-urls", "comma separated peer URLs for the updated member."),
  ]),
  command("list", "Lists all members in the cluster", [], {
    long: `When --write-out is set to simple, this command prints out comma-separated member lists for each endpoint.
The items in the lists are ID, Status, Name, Peer Addrs, Client Addrs, Is Learner.`,
  }),
  command("promote <memberID>", "Promotes a non-voting member in the cluster", [], {
    long: "Promotes a non-voting learner member to a voting one in the cluster.",
  }),
]);

const SNAPSHOT = family("snapshot <subcommand>", "Manages etcd node snapshots", [
  command("save <filename>", "Stores an etcd node backend snapshot to a given file"),
  command("restore <filename> [options]", "Restores an etcd member snapshot to an etcd directory", [
    flag("string", "data-dir", "Path to the data directory"),
    flag("string", "wal-dir", "Path to the WAL directory (use --data-dir if none given)"),
    flag(
      "string",
      "initial-cluster",
      "Initial cluster configuration for restore bootstrap",
      "default=http://localhost:2380",
    ),
    flag(
      "string",
      "initial-cluster-token",
      "Initial cluster token for the etcd cluster during restore bootstrap",
      "etcd-cluster",
    ),
    flag(
      "string",
      "initial-advertise-peer-urls",
      "List of this member's peer URLs to advertise to the rest of the cluster",
      "http://localhost:2380",
    ),
    flag("string", "name", "Human-readable name for this member", "default"),
    flag("bool", "skip-hash-check", "Ignore snapshot integrity hash value (required if copied from data directory)"),
  ]),
  command("status <filename>", "Gets backend snapshot status of a given file", [], {
    long: `When --write-out is set to simple, this command prints out comma-separated status lists for each endpoint.
The items in the lists are hash, revision, total keys, total size.`,
  }),
]);

const MAKE_MIRROR = command("make-mirror [options] <destination>", "Makes a mirror at the destination etcd cluster", [
  flag("string", "prefix", "Key-value prefix to mirror"),
  flag(
    "string",
    "dest-prefix",
    "destination prefix to mirror a prefix to a different prefix in the destination cluster",
  ),
  flag("bool", "no-dest-prefix", "mirror key-values to the root of the destination cluster"),
  flag("string", "dest-cert", "Identify secure client using this TLS certificate file for the destination cluster"),
  flag("string", "dest-key", "Identify secure client using this TLS key file"),
  flag("string", "dest-cacert", "Verify certificates of TLS enabled secure servers using this CA bundle"),
  flag("bool", "dest-insecure-transport", "Disable transport security for client connections", "true"),
]);

const MIGRATE = command("migrate", "Migrates keys in a v2 store to a mvcc store", [
  flag("bool", "no-ttl", "Do not convert TTL keys"),
  flag("string", "data-dir", "Path to the data directory"),
  flag("string", "wal-dir", "Path to the WAL directory"),
  flag("string", "transformer", "Path to the user-provided transformer program"),
]);

const LOCK = command("lock <lockname> [exec-command arg1 arg2 ...]", "Acquires a named lock", [
  flag("int", "ttl", "timeout for session", "10"),
]);

const ELECT = command("elect <election-name> [proposal]", "Observes and participates in leader election", [
  flag("bool", "listen", "observation mode", "", "l"),
]);

const AUTH = family("auth <enable or disable>", "Enable or disable authentication", [
  command("enable", "Enables authentication"),
  command("disable", "Disables authentication"),
]);

const USER = family("user <subcommand>", "User related commands", [
  command("add <user name or user:password> [options]", "Adds a new user", [
    flag("bool", "interactive", "Read password from stdin instead of interactive terminal", "true"),
    flag("string", "new-user-password", "Supply password from the command line flag"),
    flag("bool", "no-password", "Create a user without password (CN based auth only)"),
  ]),
  command("delete <user name>", "Deletes a user"),
  command("get <user name> [options]", "Gets detailed information of a user", [
    flag("bool", "detail", "Show permissions of roles granted to the user"),
  ]),
  command("list", "Lists all users"),
  command("passwd <user name> [options]", "Changes password of user", [
    flag("bool", "interactive", "If true, read password from stdin instead of interactive terminal", "true"),
  ]),
  command("grant-role <user name> <role name>", "Grants a role to a user"),
  command("revoke-role <user name> <role name>", "Revokes a role from a user"),
]);

const ROLE = family("role <subcommand>", "Role related commands", [
  command("add <role name>", "Adds a new role"),
  command("delete <role name>", "Deletes a role"),
  command("get <role name>", "Gets detailed information of a role"),
  command("list", "Lists all roles"),
  command("grant-permission [options] <role name> <permission type> <key> [endkey]", "Grants a key to a role", [
    flag("bool", "prefix", "grant a prefix permission"),
    flag(
      "bool",
      "from-key",
      "grant a permission of keys that are greater than or equal to the given key using byte compare",
    ),
  ]),
  command("revoke-permission <role name> <key> [endkey]", "Revokes a key from a role", [
    flag("bool", "prefix", "revoke a prefix permission"),
    flag(
      "bool",
      "from-key",
      "revoke a permission of keys that are greater than or equal to the given key using byte compare",
    ),
  ]),
]);

const checkFlags = (what: string) => [
  flag(
    "string",
    "load",
    `The ${what === "perf" ? "performance" : what} check's workload model. Accepted workloads: s(small), m(medium), l(large), xl(xLarge)`,
    "s",
  ),
  flag(
    "string",
    "prefix",
    `The prefix for writing the ${what === "perf" ? "performance" : what} check's keys.`,
    `/etcdctl-check-${what}/`,
  ),
  flag("bool", "auto-compact", "Compact storage with last revision after test is finished."),
  flag("bool", "auto-defrag", "Defragment storage after test is finished."),
];

const CHECK = family("check <subcommand>", "commands for checking properties of the etcd cluster", [
  command("perf [options]", "Check the performance of the etcd cluster", checkFlags("perf")),
  command(
    "datascale [options]",
    "Check the memory usage of holding data for different workloads on a given server endpoint.",
    checkFlags("datascale"),
    {
      long: "If no endpoint is provided, localhost will be used. If multiple endpoints are provided, first endpoint will be used.",
    },
  ),
]);

/** Where a shell's script is loaded from for one session, and where it is kept. */
const COMPLETION_HELP = {
  bash: `Generate the autocompletion script for the bash shell.

This script depends on the 'bash-completion' package.
If it is not installed already, you can install it via your OS's package manager.

To load completions in your current shell session:

	source <(etcdctl completion bash)

To load completions for every new session, execute once:

#### Linux:

	etcdctl completion bash > /etc/bash_completion.d/etcdctl

#### macOS:

	etcdctl completion bash > $(brew --prefix)/etc/bash_completion.d/etcdctl

You will need to start a new shell for this setup to take effect.`,
  zsh: `Generate the autocompletion script for the zsh shell.

If shell completion is not already enabled in your environment you will need
to enable it.  You can execute the following once:

	echo "autoload -U compinit; compinit" >> ~/.zshrc

To load completions in your current shell session:

	source <(etcdctl completion zsh); compdef _etcdctl etcdctl

To load completions for every new session, execute once:

#### Linux:

	etcdctl completion zsh > "\${fpath[1]}/_etcdctl"

#### macOS:

	etcdctl completion zsh > $(brew --prefix)/share/zsh/site-functions/_etcdctl

You will need to start a new shell for this setup to take effect.`,
  fish: `Generate the autocompletion script for the fish shell.

To load completions in your current shell session:

	etcdctl completion fish | source

To load completions for every new session, execute once:

	etcdctl completion fish > ~/.config/fish/completions/etcdctl.fish

You will need to start a new shell for this setup to take effect.`,
  powershell: `Generate the autocompletion script for powershell.

To load completions in your current shell session:

	etcdctl completion powershell | Out-String | Invoke-Expression

To load completions for every new session, add the output of the above command
to your powershell profile.`,
} as const;

const completionOf = (shell: keyof typeof COMPLETION_HELP, more: Partial<CommandSpec> = {}) =>
  command(
    shell,
    `Generate the autocompletion script for ${shell}`,
    [flag("bool", "no-descriptions", "disable completion descriptions")],
    { long: COMPLETION_HELP[shell], noArgs: true, ...more },
  );

const COMPLETION = family(
  "completion",
  "Generate the autocompletion script for the specified shell",
  [
    completionOf("bash", { flagsInUseLine: false }),
    completionOf("zsh"),
    completionOf("fish"),
    completionOf("powershell"),
  ],
  {
    noArgs: true,
    long: `Generate the autocompletion script for etcdctl for the specified shell.
See each sub-command's help for details on how to use the generated script.`,
  },
);

const helpOf = (tool: string) =>
  command("help [command]", "Help about any command", [], {
    long: `Help provides help for any command in the application.
Simply type ${tool} help [path to command] for full details.`,
  });

export const ETCDCTL = family(
  "etcdctl",
  "A simple command line client for etcd3.",
  [
    GET,
    PUT,
    DEL,
    TXN,
    COMPACTION,
    ALARM,
    DEFRAG,
    ENDPOINT,
    command("move-leader <transferee-member-id>", "Transfers leadership to another etcd cluster member."),
    WATCH,
    command("version", "Prints the version of etcdctl"),
    LEASE,
    MEMBER,
    SNAPSHOT,
    MAKE_MIRROR,
    MIGRATE,
    LOCK,
    ELECT,
    AUTH,
    USER,
    ROLE,
    CHECK,
    helpOf("etcdctl"),
    COMPLETION,
  ],
  { persistent: GLOBAL },
);

/** The requests of a transaction: a tree of its own, whose root has no name. */
export const TXN_REQUESTS = family("", "", [PUT, GET, DEL, helpOf(""), COMPLETION]);
