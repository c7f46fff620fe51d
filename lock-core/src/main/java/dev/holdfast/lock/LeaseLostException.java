package dev.holdfast.lock;

/**
 * The lease ended before the work did: somebody else may have held the lock meanwhile. The work since {@link LeaseLoss#held()} was not
 * protected to its end; whatever it wrote is safe only where the {@linkplain Lease#fencingToken() fencing token} was checked.
 */
public class LeaseLostException extends IllegalMonitorStateException {

    private static final long serialVersionUID = 1L;

    private final transient LeaseLoss loss;

    /**
     * Creates the exception.
     *
     * @param loss what was lost, and why
     */
    public LeaseLostException(LeaseLoss loss) {
        super("The lease on lock '" + LogText.escape(loss.lockName()) + "' (fencing token " + loss.fencingToken()
                + ") was lost: " + loss.probableCause() + ". It was held for " + LogText.time(loss.held())
                + ", last confirmed " + LogText.time(loss.sinceConfirmed())
                + " before. Work done since may overlap another holder's");
        this.loss = loss;
    }

    /**
     * What was lost, and why.
     *
     * @return the loss
     */
    public LeaseLoss loss() {
        return loss;
    }
}
