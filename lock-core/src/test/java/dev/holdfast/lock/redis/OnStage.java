package dev.holdfast.lock.redis;

/** What every part of the contract is played on. */
interface OnStage {

    Stage on();
}
