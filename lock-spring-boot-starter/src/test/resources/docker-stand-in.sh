#!/bin/sh
# Answers what Spring Boot asks of the docker command, in the format of Docker 28 and Compose 2.36, for a project of one container. The test runs the
# container's Redis itself: HOST_PORT is its port. CALLS is the file that records each call. The container runs from "up" to "down".
container=f5af31dae7f6c1d8e0b7a4c2e9d3f6a1b5c8e7d2f4a9b6c3d8e1f7a2b5c9d4e6
echo "$*" >> "$CALLS"
case "$*" in
  "version --format {{.Client.Version}}") echo "28.2.2" ;;
  "compose version --format json") echo '{"version":"v2.36.2"}' ;;
  "context ls --format={{ json . }}")
    echo '{"Current":true,"Description":"Current DOCKER_HOST based configuration","DockerEndpoint":"unix:///var/run/docker.sock","Error":"","Name":"default"}' ;;
  "compose --file "*" config --format=json") echo '{"name":"shop","services":{"redis":{"image":"redis:8"}}}' ;;
  "compose --file "*" ps --orphans=false --format=json")
    if [ -e "$CALLS.up" ]; then
      echo '{"ExitCode":0,"Health":"","ID":"f5af31dae7f6","Image":"redis:8","Name":"shop-redis-1","Project":"shop","Service":"redis","State":"running"}'
    fi ;;
  "compose --file "*" up --no-color --detach --wait") touch "$CALLS.up" ;;
  "compose --file "*" down --timeout "*) rm "$CALLS.up" ;;
  "inspect --format={{ json . }} f5af31dae7f6")
    echo "{\"Id\":\"$container\",\"Name\":\"/shop-redis-1\",\"Config\":{\"Image\":\"redis:8\",\"Labels\":{\"com.docker.compose.service\":\"redis\"},\"ExposedPorts\":{\"6379/tcp\":{}},\"Env\":[\"REDIS_PORT=6379\"]},\"HostConfig\":{\"NetworkMode\":\"shop_default\"},\"NetworkSettings\":{\"Ports\":{\"6379/tcp\":[{\"HostIp\":\"127.0.0.1\",\"HostPort\":\"$HOST_PORT\"}]}}}" ;;
  *) echo "unknown command: docker $*" >&2; exit 1 ;;
esac
