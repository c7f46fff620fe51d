package dev.holdfast.lock.redis.contract;

import dev.holdfast.lock.redis.fixture.TwoClients;

/** A part of the contract: tests on two clients that share one Redis. */
interface ContractPart {

    TwoClients clients();
}
