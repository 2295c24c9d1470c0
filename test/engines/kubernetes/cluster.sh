#!/usr/bin/env bash
# cluster.sh PROGRAMS DIRECTORY NAME ADDRESS [DISK]: a whole cluster of one node, as the first process of its own namespaces of mounts,
# network, processes, host name and System V objects: with this process all of it ends. Its files are in DIRECTORY, its control
# groups are called NAME. The API server is at https://ADDRESS:6443; DIRECTORY/ready is there when the node takes pods. The files of
# the kubelet are on a file system of the size DISK where one is given.
set -euo pipefail
programs=$1 dir=$2 name=$3 address=$4 disk=${5:-} here=$(cd "$(dirname "$0")" && pwd)
node_ip=10.244.0.1 service_ip=10.96.0.1
export PATH=$programs/bin:$PATH
log=$dir/log
mkdir -p "$log" "$dir"/{pki,etcd,containerd,kubelet,volumes,varlog,cni-state,cni-conf,cni-bin,run,sysctl}

mount --make-rshared /
mount -t tmpfs tmpfs /run
mkdir -p /run/containerd /run/netns
mkdir -p /var/log /var/lib/cni
mount --bind "$dir/varlog" /var/log
mount --bind "$dir/cni-state" /var/lib/cni
if [ -n "$disk" ]; then
  truncate -s "$disk" "$dir/kubelet.ext4"
  mkfs.ext4 -q "$dir/kubelet.ext4"
  mount -o loop "$dir/kubelet.ext4" "$dir/kubelet"
fi
# The kubelet writes settings of the kernel that no namespace holds: here it writes files instead.
for each in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  [ -e "/proc/sys/$each" ] || continue
  file=$dir/sysctl/${each//\//_}
  cat "/proc/sys/$each" >"$file"
  mount --bind "$file" "/proc/sys/$each"
done
# Volumes of the host-path class lie in the host's temporary directory.
mkdir -p /tmp/hostpath_pv "$dir/volumes"
mount --bind "$dir/volumes" /tmp/hostpath_pv
hostname node1
ip link set lo up
ip link add cni0 type bridge
ip address add "$node_ip/24" dev cni0
ip link set cni0 up
echo 1 >/proc/sys/net/ipv4/ip_forward

for hierarchy in /sys/fs/cgroup/*/; do
  mkdir -p "$hierarchy$name" 2>/dev/null || continue
  for each in cpuset.cpus cpuset.mems; do
    [ ! -e "$hierarchy$name/$each" ] || cat "$hierarchy$each" >"$hierarchy$name/$each"
  done
done

pki=$dir/pki
cd "$pki"
openssl ecparam -name prime256v1 -genkey -noout -out ca.key 2>/dev/null
openssl req -x509 -new -key ca.key -subj /CN=caisson-test-ca -days 3650 -out ca.crt 2>/dev/null
leaf() { # FILE SUBJECT [NAMES]
  openssl ecparam -name prime256v1 -genkey -noout -out "$1.key" 2>/dev/null
  openssl req -new -key "$1.key" -subj "$2" -out "$1.csr" 2>/dev/null
  printf '%s\n' "extendedKeyUsage=clientAuth,serverAuth" ${3:+"subjectAltName=$3"} >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -extfile "$1.ext" -out "$1.crt" 2>/dev/null
}
leaf server /CN=kube-apiserver "IP:$address,IP:$node_ip,IP:$service_ip,IP:127.0.0.1,DNS:kubernetes.default.svc,DNS:kubernetes.default"
leaf kubelet-server /CN=node1 "IP:$node_ip,DNS:node1"
leaf kubelet /O=system:nodes/CN=system:node:node1
leaf to-kubelet /O=system:masters/CN=kube-apiserver-client
leaf admin /O=system:masters/CN=admin
leaf scheduler /CN=system:kube-scheduler
leaf controller /CN=system:kube-controller-manager
openssl genrsa -out accounts.key 2048 2>/dev/null
openssl rsa -in accounts.key -pubout -out accounts.pub 2>/dev/null
kubeconfig() { # FILE LEAF ADDRESS
  cat >"$dir/$1.kubeconfig" <<END
apiVersion: v1
kind: Config
current-context: test
clusters: [{name: test, cluster: {server: "https://$3:6443", certificate-authority-data: "$(base64 -w0 ca.crt)"}}]
users: [{name: test, user: {client-certificate-data: "$(base64 -w0 "$2.crt")", client-key-data: "$(base64 -w0 "$2.key")"}}]
contexts: [{name: test, context: {cluster: test, user: test, namespace: default}}]
END
}
kubeconfig admin admin "$address"
kubeconfig inside admin "$node_ip"
kubeconfig kubelet kubelet "$node_ip"
kubeconfig scheduler scheduler "$node_ip"
kubeconfig controller controller "$node_ip"

cat >"$dir/containerd.toml" <<END
version = 2
root = "$dir/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/library/caisson-pause:latest"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$dir/cni-bin"
    conf_dir = "$dir/cni-conf"
END
ln -s "$programs"/cni/* "$dir/cni-bin"
install -m 755 "$here/policy-bridge.sh" "$dir/cni-bin/policy-bridge"
export CAISSON_TEST_CLUSTER=$dir
cat >"$dir/cni-conf/10-test.conflist" <<END
{"cniVersion": "0.4.0", "name": "test", "plugins": [
  {"type": "policy-bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.244.0.0/24", "rangeStart": "10.244.0.10"}]], "routes": [{"dst": "0.0.0.0/0"}]}}
]}
END
cat >"$dir/kubelet.yaml" <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $node_ip
readOnlyPort: 0
authentication: {anonymous: {enabled: false}, webhook: {enabled: false}, x509: {clientCAFile: $pki/ca.crt}}
authorization: {mode: AlwaysAllow}
tlsCertFile: $pki/kubelet-server.crt
tlsPrivateKeyFile: $pki/kubelet-server.key
cgroupDriver: cgroupfs
cgroupRoot: /$name
failSwapOn: false
makeIPTablesUtilChains: false
oomScoreAdj: 0
maxOpenFiles: 65536
podPidsLimit: 256
kubeAPIQPS: 100
kubeAPIBurst: 200
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%}
evictionPressureTransitionPeriod: 5s
nodeStatusUpdateFrequency: 2s
syncFrequency: 10s
clusterDomain: cluster.local
imageGCHighThresholdPercent: 100
END

# Started again when they end, as an init system would; a file NAME.held keeps one from it.
keep() {
  local called=$1
  shift
  while :; do
    "$@" >>"$log/$called.log" 2>&1 &
    echo $! >"$dir/run/$called.pid"
    wait $! || true
    while [ -e "$dir/run/$called.held" ]; do sleep 0.1; done
    sleep 0.2
  done &
}
keep etcd etcd --data-dir "$dir/etcd" --listen-client-urls http://127.0.0.1:12379 --advertise-client-urls http://127.0.0.1:12379 \
  --listen-peer-urls http://127.0.0.1:12380 --unsafe-no-fsync
keep containerd containerd --config "$dir/containerd.toml"
keep apiserver kube-apiserver --advertise-address="$node_ip" --bind-address=0.0.0.0 --secure-port=6443 --insecure-port=0 \
  --etcd-servers=http://127.0.0.1:12379 --service-cluster-ip-range=10.96.0.0/16 --client-ca-file=ca.crt --tls-cert-file=server.crt \
  --tls-private-key-file=server.key --kubelet-client-certificate=to-kubelet.crt --kubelet-client-key=./to-kubelet.key \
  --kubelet-certificate-authority=ca.crt --kubelet-preferred-address-types=InternalIP --service-account-key-file=accounts.pub \
  --service-account-signing-key-file=accounts.key --service-account-issuer=https://kubernetes.default.svc \
  --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --allow-privileged=false
for image in "$dir"/images/*.tar; do
  until ctr -n k8s.io images import "$image" >>"$log/images.log" 2>&1; do sleep 0.2; done
done
kubectl() { command kubectl --kubeconfig "$dir/inside.kubeconfig" "$@"; }
until kubectl get --raw /readyz >/dev/null 2>&1; do sleep 0.2; done
keep controller kube-controller-manager --kubeconfig="$dir/controller.kubeconfig" --use-service-account-credentials \
  --service-account-private-key-file=accounts.key --root-ca-file=ca.crt --cluster-signing-cert-file=ca.crt \
  --cluster-signing-key-file=ca.key --enable-hostpath-provisioner --leader-elect=false --port=0 --node-monitor-period=2s \
  --node-monitor-grace-period=16s
keep scheduler kube-scheduler --kubeconfig="$dir/scheduler.kubeconfig" --leader-elect=false --port=0
keep kubelet kubelet --config="$dir/kubelet.yaml" --kubeconfig="$dir/kubelet.kubeconfig" --root-dir="$dir/kubelet" \
  --hostname-override=node1 --node-ip="$node_ip" --container-runtime=remote \
  --container-runtime-endpoint=unix:///run/containerd/containerd.sock
kubectl apply -f - >>"$log/objects.log" 2>&1 <<'END'
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: host-path, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: kubernetes.io/host-path
END
until kubectl get serviceaccount default >/dev/null 2>&1; do sleep 0.2; done
until kubectl wait --for=condition=Ready node/node1 --timeout=60s >>"$log/objects.log" 2>&1; do sleep 0.3; done
echo ready >"$dir/ready"
wait
