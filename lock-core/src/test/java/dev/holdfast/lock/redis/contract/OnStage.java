package dev.holdfast.lock.redis.contract;

import dev.holdfast.lock.redis.fixture.Stage;

/** What every part of the contract is played on. */
interface OnStage {

    Stage on();
}
